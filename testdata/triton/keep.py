"""Make of what record.py has left the files that tests replay: python3 keep.py RECORDED OUT [TRANSFORMER].

OUT gets triton_HALF.jsonl.gz for each half that was recorded, with a line for each kernel: the description of its launch, and of each configuration the
files of Triton's cache, a listing, and the durations. Of a cubin all is zeros but what the kernel needs beside its instructions, and of TTIR the
function's head is kept. It needs nvdisasm.

TRANSFORMER has measured.jsonl of transformer.py, and as captured/ what pack.py has left. OUT gets transformer.jsonl.gz: a line for each launch file, with
the listing of its kernel in place of its module, and then a line for each kernel that was profiled.
"""
import base64
import gzip
import json
import os
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from pack import sections, symbol


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
    listing = re.sub(r'File "/[^"]*/', 'File "', listing)  # where that machine had its files
    return {"json": meta, "ttir": head + "\n", "sass": listing, "cubin": base64.b64encode(gzip.compress(bare(cubin), mtime=0)).decode(),
            "hash": record["hash"], "right": record.get("right", True), "graph": record.get("graph"), "durations": record.get("durations")}


def transformer(folder, out):
    captured = os.path.join(folder, "captured")
    listings, registers = {}, {}
    with open(os.path.join(captured, "listings.txt")) as f:
        for number, source, kernel, _ in (line.rstrip("\n").split("\t") for line in f):
            with open(os.path.join(captured, number + ".sass")) as g:
                listings[source, kernel] = re.sub(r"[ \t]+", " ", g.read())
            with open(os.path.join(captured, source), "rb") as g:
                registers[source, kernel] = registers_of(g.read(), kernel)
    with gzip.GzipFile(os.path.join(out, "transformer.jsonl.gz"), "wb", 9, mtime=0) as to:
        seen = set()
        for file in sorted(f for f in os.listdir(captured) if f.endswith(".yaml")):
            with open(os.path.join(captured, file)) as f:
                text = f.read()
            source = re.search(r"^source: (\S+)", text, re.M).group(1)
            kernel = re.search(r"^kernel: (.+)$", text, re.M).group(1).strip().strip('"')
            text = re.sub(r"^# by .*\n", "", text, flags=re.M)
            text = re.sub(r"^source: .*$", f"listing: {source}.{len(kernel)}.sass\nresources: {{registers: {registers[source, kernel]}}}", text, flags=re.M)
            line = {"file": file, "launch": text, "listing": f"{source}.{len(kernel)}.sass"}
            if (source, kernel) not in seen:
                seen.add((source, kernel))
                line["sass"] = listings[source, kernel]
            to.write((json.dumps(line) + "\n").encode())
        with open(os.path.join(folder, "measured.jsonl")) as f:
            for line in f:
                if json.loads(line)["grid"]:
                    to.write(line.encode())


def registers_of(elf, kernel):
    """The registers of a work-item, which the module says by the number of the kernel's symbol."""
    number = symbol(elf, kernel)
    for name, _, offset, size, _ in sections(elf):
        at = offset
        while name == ".nv.info" and at + 4 <= offset + size:
            form, kind, length = struct.unpack_from("<BBH", elf, at)
            at += 4
            if form == 4:
                if kind == 0x2F and struct.unpack_from("<I", elf, at)[0] == number:
                    return struct.unpack_from("<I", elf, at + 4)[0]
                at += length
    return 0


def main():
    recorded, out = sys.argv[1:3]
    if len(sys.argv) > 3:
        transformer(sys.argv[3], out)
        return
    folders = {}
    for path, _, files in os.walk(os.path.join(recorded, "cache")):
        for name in files:
            if name.endswith(".json"):
                with open(os.path.join(path, name)) as f:
                    folders[json.load(f)["hash"]] = path
    for half in ("choose", "report", "further", "unseen", "study", "last", "learn"):
        kernels = {}
        if not os.path.exists(os.path.join(recorded, half + ".jsonl")):
            continue
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
                with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                    entries = list(pool.map(lambda r: entry(folders[r["hash"]], r), records))
                to.write((json.dumps({"kernel": name, "description": text, "files": files, "entries": entries}) + "\n").encode())


if __name__ == "__main__":
    main()
