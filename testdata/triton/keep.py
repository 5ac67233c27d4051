"""Make of what record.py has left the files that tests replay: python3 keep.py RECORDED OUT.

OUT gets triton_choose.jsonl.gz and triton_report.jsonl.gz with a line for each kernel: the description of its launch, and of each configuration the
files of Triton's cache, a listing, and the durations. Of a cubin all is zeros but what the kernel needs beside its instructions, and of TTIR the
function's head is kept. It needs nvdisasm.
"""
import base64
import gzip
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from pack import sections


def bare(elf):
    """A cubin with zeros in place of instructions and of what debuggers need."""
    out = bytearray(elf)
    for name, kind, offset, size, _ in sections(elf):
        if kind not in (0, 8) and (name.startswith((".text", ".debug", ".nv_debug", ".rel.debug", ".rela.debug", ".rel.text", ".rela.text"))):
            out[offset:offset + size] = bytes(size)
    return bytes(out)


def entry(folder, record):
    base = os.path.join(folder, record["name"])
    with open(base + ".cubin", "rb") as f:
        cubin = f.read()
    with open(base + ".json") as f:
        meta = f.read()
    with open(base + ".ttir") as f:
        head = re.search(r"^  tt\.func public.*$", f.read(), re.M).group(0)
    done = subprocess.run(["nvdisasm", "-hex", "-c", "-g", base + ".cubin"], capture_output=True)
    if done.returncode != 0:
        done = subprocess.run(["nvdisasm", "-hex", "-c", base + ".cubin"], capture_output=True, check=True)
    listing = re.sub(r"[ \t]+", " ", done.stdout.decode())
    return {"json": meta, "ttir": head + "\n", "sass": listing, "cubin": base64.b64encode(gzip.compress(bare(cubin), mtime=0)).decode(),
            "hash": record["hash"], "right": record["right"], "graph": record.get("graph"), "durations": record.get("durations")}


def main():
    recorded, out = sys.argv[1:]
    folders = {}
    for path, _, files in os.walk(os.path.join(recorded, "cache")):
        for name in files:
            if name.endswith(".json"):
                with open(os.path.join(path, name)) as f:
                    folders[json.load(f)["hash"]] = path
    for half in ("choose", "report"):
        kernels = {}
        with open(os.path.join(recorded, half + ".jsonl")) as f:
            for line in f:
                record = json.loads(line)
                kernels.setdefault(record["kernel"], []).append(record)
        with gzip.GzipFile(os.path.join(out, f"triton_{half}.jsonl.gz"), "wb", 9, mtime=0) as to:
            for name, records in kernels.items():
                described = os.path.join(recorded, "described")
                with open(os.path.join(described, name + ".yaml")) as f:
                    text = re.sub(r"^triton: .*\n", "", f.read(), flags=re.M)
                files = {}
                for file in sorted(os.listdir(described)):
                    if file.startswith(name + ".") and file.endswith(".bin"):
                        with open(os.path.join(described, file), "rb") as f:
                            files[file] = base64.b64encode(f.read()).decode()
                with ThreadPoolExecutor(2) as pool:
                    entries = list(pool.map(lambda r: entry(folders[r["hash"]], r), records))
                to.write((json.dumps({"kernel": name, "description": text, "files": files, "entries": entries}) + "\n").encode())


if __name__ == "__main__":
    main()
