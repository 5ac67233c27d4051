"""Builds the wheel of perf_client and perf_triton with the standard library alone (PEP 517), so that `pip install ./python` needs no network."""
import base64
import hashlib
import os
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ("perf_client/__init__.py", "perf_client/py.typed", "perf_triton.py")
NAME, VERSION = "perf_client", "1"
METADATA = f"""Metadata-Version: 2.1
Name: perf-client
Version: {VERSION}
Summary: Asks perf, the performance-modelling workbench for GPU kernels, from Python
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: perf
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its name."""
    info = f"{NAME}-{VERSION}.dist-info/"
    files = {info + "METADATA": METADATA.encode(), info + "WHEEL": WHEEL.encode()}
    for module in MODULES:
        with open(os.path.join(HERE, module), "rb") as f:
            files[module] = f.read()
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n" for name, data in files.items())
    files[info + "RECORD"] = f"{record}{info}RECORD,,\n".encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the folder is the source")
