"""Launch configurations of kernels for a profiler that counts: python3 counted.py NAMES.json MODULE:KERNEL[:EVERY] ...

Each configuration (or each EVERYth) is launched twice, and then once between the start and the stop of the profiler. NAMES.json lists them in that order.
"""
import importlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def main():
    import torch
    names = []
    for what in sys.argv[2:]:
        module, kernel, *every = what.split(":")
        k = next(k for k in importlib.import_module(module).KERNELS if k.name == kernel)
        args = k.args()
        for c in k.configs[::int(every[0]) if every else 1]:
            try:
                for _ in range(2):
                    compiled = k.fn[k.grid(c)](*args, **c)
                torch.cuda.synchronize()
            except Exception as e:  # noqa: BLE001: it does not fit
                print(f"{kernel} {c}: {type(e).__name__}: {str(e)[:200]}", flush=True)
                continue
            torch.cuda.cudart().cudaProfilerStart()
            k.fn[k.grid(c)](*args, **c)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStop()
            names.append({"kernel": kernel, "config": c, "hash": compiled.hash, "half": k.half})
            with open(sys.argv[1], "w") as out:
                json.dump(names, out)
        del args
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
