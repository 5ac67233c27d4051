"""Keep of captured launch files what emulation needs: python3 pack.py CAPTURED FOLDER.

A module of a library has hundreds of kernels. FOLDER gets the launch files; of each module the bytes of the kernels that are launched, and zeros in
the place of all else, so that it is small when packed; and a listing of each kernel.
"""
import os
import re
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def sections(elf):
    """Name, type, offset, size and link of each section of a file of 64 bits."""
    at, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    all = [struct.unpack_from("<IIQQQQIIQQ", elf, at + i * size) for i in range(count)]
    base = all[names][4]
    out = []
    for s in all:
        end = elf.index(b"\0", base + s[0])
        out.append((elf[base + s[0]:end].decode(), s[1], s[4], s[5], s[6]))
    return out


def symbol(elf, name):
    """The number of a symbol."""
    all = sections(elf)
    for _, kind, offset, size, link in all:
        if kind != 2:
            continue
        for i in range(size // 24):
            first, = struct.unpack_from("<I", elf, offset + i * 24)
            start = all[link][2] + first
            if elf[start:elf.index(b"\0", start)].decode() == name:
                return i
    raise KeyError(name)


def thin(elf, kernels):
    """A cubin with zeros in place of the kernels that are not named, and of what belongs to them."""
    out = bytearray(elf)
    general = {".shstrtab", ".strtab", ".symtab", ".nv.info", ".nv.constant3", ".nv.constant4", ".nv.global", ".nv.global.init", ".nv.compat"}
    for name, kind, offset, size, _ in sections(elf):
        if kind in (0, 8) or name in general or any(name.endswith("." + k) for k in kernels):
            continue
        out[offset:offset + size] = bytes(size)
    return bytes(out)


def listing(path, elf, name):
    """What the disassembler prints of a kernel."""
    number = str(symbol(elf, name))
    for command in (["nvdisasm", "-hex", "-c", "-g", "-fun", number, path], ["nvdisasm", "-hex", "-c", "-fun", number, path],
                    ["cuobjdump", "-sass", "-fun", name, path]):
        try:
            done = subprocess.run(command, capture_output=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired) as e:
            print(f"{name}: {e}", flush=True)
            continue
        if done.returncode == 0 and b"/*0000*/" in done.stdout:
            return done.stdout
        print(f"{name}: {' '.join(command[:4])}: {done.returncode} {done.stderr[-200:]}", flush=True)
    return b""


def main():
    captured, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    used = {}
    for file in sorted(os.listdir(captured)):
        if not file.endswith(".yaml"):
            continue
        with open(os.path.join(captured, file)) as f:
            text = f.read()
        source = re.search(r"^source: (\S+)", text, re.M).group(1)
        kernel = re.search(r"^kernel: (.+)$", text, re.M).group(1).strip().strip('"')
        used.setdefault(source, set()).add(kernel)
        with open(os.path.join(folder, file), "w") as f:
            f.write(text)
    jobs, names = [], {}
    for source, kernels in used.items():
        with open(os.path.join(captured, source), "rb") as f:
            elf = f.read()
        with open(os.path.join(folder, source), "wb") as f:
            f.write(thin(elf, kernels))
        jobs += [(source, elf, k) for k in sorted(kernels)]

    def one(job):
        number, (source, elf, kernel) = job
        try:
            text = listing(os.path.join(captured, source), elf, kernel)
        except Exception as e:  # noqa: BLE001: told to the log
            print(f"{kernel}: {type(e).__name__}: {e}", flush=True)
            return
        names[number] = f"{number}\t{source}\t{kernel}\t{len(text)}"
        with open(os.path.join(folder, f"{number}.sass"), "wb") as f:
            f.write(text)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, enumerate(jobs)))
    with open(os.path.join(folder, "listings.txt"), "w") as f:
        f.write("".join(names[n] + "\n" for n in sorted(names)))
    print(f"{len(jobs)} kernels of {len(used)} modules, {sum(len(e) for _, e, _ in jobs)} bytes")


if __name__ == "__main__":
    main()
