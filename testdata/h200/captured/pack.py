"""Make NAME.tar.gz of captured folders: python3 pack.py FOLDER... OUT

Of each module the bytes of the kernels that are launched stay, and zeros in place of all else (testdata/triton/pack.py); listings and launch files
lose the paths of the machine that they were made on.
"""
import gzip
import io
import os
import re
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../triton"))
from pack import thin


def pack(folder, to):
    files = {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}
    launches = [text for name, text in files.items() if name.endswith(".yaml")]
    used, data = {}, set()
    for text in launches:
        source, kernel = (re.search(rb"^%s: (.+)$" % key, text, re.M).group(1).decode().strip('"') for key in (b"source", b"kernel"))
        used.setdefault(source, set()).add(kernel)
        data |= set(re.findall(r"data: (\S+?)[,}]", text.decode()))
    with gzip.GzipFile(to, "wb", 9, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in files.items():
            if name.endswith(".bin") and name not in data:
                continue
            if name in used:
                text = thin(text, used[name])
            elif name.endswith(".yaml"):
                text = re.sub(rb"^# by .*?( on )", rb"# by the application\1", text, flags=re.M)
            elif name.endswith(".sass"):
                text = re.sub(rb'"/[^"\n]*/', b'"', text)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text), 0o644
            tar.addfile(entry, io.BytesIO(text))


if __name__ == "__main__":
    *folders, out = sys.argv[1:]
    for folder in folders:
        pack(folder, os.path.join(out, os.path.basename(os.path.normpath(folder)) + ".tar.gz"))
