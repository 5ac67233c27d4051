"""Record the kernels of kernels.py on a GPU: python3 record.py FOLDER [SECONDS].

All configurations are compiled in parallel processes. Then each is compared with what it should compute, and timed: `durations` are those of the
kernel on the device in nanoseconds, as CUPTI tells them to torch.profiler; `graph` is the time of a launch in microseconds, between two events
around a CUDA graph of twenty launches. The launches follow each other with nothing between them, so that the caches hold what the launch before
has left. Each kernel is tried apart from the others; log.txt says what failed.

FOLDER gets choose.jsonl and report.jsonl (a line for each configuration), cache/ (cubin, JSON and TTIR of each) and described/ (what
perf_triton.py writes).
"""
import importlib
import json
import os
import shutil
import statistics
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (HERE, os.path.join(HERE, "..", "..", "python")):
    sys.path.insert(0, folder)
BEGAN = time.time()
ROUNDS, TIMES = 4, 8  # launches of each configuration under the profiler


def KERNELS():
    """The kernels of the module that PERF_KERNELS names."""
    return importlib.import_module(os.environ.get("PERF_KERNELS", "kernels")).KERNELS


def say(folder, text):
    line = f"[{time.time() - BEGAN:6.1f} s] {text}"
    print(line, flush=True)
    with open(os.path.join(folder, "log.txt"), "a") as log:
        log.write(line + "\n")


def compile_one(job):
    """In another process: compile a configuration, which leaves it in the cache."""
    number, at = job
    began = time.time()
    try:
        k = KERNELS()[number]
        c = k.configs[at]
        if number not in ARGS:
            ARGS.clear()
            ARGS[number] = k.args()
        k.fn.warmup(*ARGS[number], grid=k.grid(c), **c)
        return number, at, time.time() - began, ""
    except Exception as e:  # noqa: BLE001: told to the log
        return number, at, time.time() - began, f"{type(e).__name__}: {str(e)[:300]}"


ARGS = {}


def compile_all(folder, kernels, seconds):
    """Compile all configurations, and return those that were compiled in time."""
    jobs = [(n, at) for n, k in enumerate(kernels) for at in range(len(k.configs))]
    # What takes long to compile comes first, and neighbours are of one kernel, so that processes seldom make arguments anew.
    done = {}
    pool = ProcessPoolExecutor(max_workers=max(2, len(os.sched_getaffinity(0)) - 1), mp_context=get_context("spawn"))
    waiting = [pool.submit(compile_one, job) for job in jobs]
    try:
        for future in as_completed(waiting, timeout=seconds):
            try:
                number, at, took, error = future.result()
            except Exception as e:  # noqa: BLE001: a process has died
                say(folder, f"a process that compiles: {type(e).__name__}: {e}")
                break
            if error:
                say(folder, f"{kernels[number].name} {kernels[number].configs[at]}: {error}")
            else:
                done[number, at] = took
    except TimeoutError:
        say(folder, f"compilation stopped after {seconds:.0f} s")
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for p in processes:
        p.terminate()
    say(folder, f"compiled {len(done)} of {len(jobs)}; the longest took {max(done.values(), default=0):.1f} s")
    return done


def graph_time(torch, launch):
    """Microseconds of a launch, between two events around a graph of twenty; the least of five."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(side):
        launch()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(20):
            launch()
    times = []
    for _ in range(5):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        graph.replay()
        b.record()
        torch.cuda.synchronize()
        times.append(a.elapsed_time(b) * 1000 / 20)
    return min(times)


def profiled(torch, run, path):
    """The kernels that run() launches, in their order, as the profiler has seen them."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        run()
        torch.cuda.synchronize()
    p.export_chrome_trace(path)
    with open(path) as f:
        events = [e for e in json.load(f)["traceEvents"] if e.get("ph") == "X" and e.get("cat") == "kernel"]
    os.remove(path)
    return sorted(events, key=lambda e: float(e["ts"]))


def describe(a):
    """An argument of a launch."""
    if hasattr(a, "data_ptr"):
        return {"dtype": str(a.dtype).rsplit(".", 1)[-1], "size": a.numel()}
    return {"value": a}


def measure(folder, torch, k, configs, rounds, seen):
    """The records of a kernel's configurations; seen() listens to launches."""
    args = k.args()
    right = k.right(args) if k.right else None
    records, launches = [], []
    for c in configs:
        record = {"kernel": k.name, "half": k.half, "config": c, "grid": list(k.grid(c)), "args": [describe(a) for a in args]}
        try:
            if k.cleared:
                args[k.result].zero_()
            with seen():
                compiled = k.fn[k.grid(c)](*args, **c)
            torch.cuda.synchronize()
            if right is not None:
                error = (args[k.result].double() - right.double()).abs().max() / right.double().abs().max().clamp(min=1.0)
                record["error"], record["right"] = float(error), bool(error < k.tolerance)
            m = compiled.metadata
            record.update(hash=compiled.hash, name=m.name, shared=m.shared, num_warps=m.num_warps, num_stages=m.num_stages,
                          registers=getattr(compiled, "n_regs", None), spills=getattr(compiled, "n_spills", None))
        except Exception as e:  # noqa: BLE001: told to the log
            say(folder, f"{k.name} {c}: {type(e).__name__}: {str(e)[:300]}")
            if "illegal" in str(e) or "misaligned" in str(e):
                raise
            continue
        records.append(record)
        launches.append(lambda c=c: k.fn[k.grid(c)](*args, **c))
    wrong = [r["config"] for r in records if not r.get("right", True)]
    if wrong:
        say(folder, f"{k.name}: wrong results of {wrong}")
    for record, launch in zip(records, launches, strict=True):
        try:
            record["graph"] = graph_time(torch, launch)
        except Exception as e:  # noqa: BLE001: told to the log
            say(folder, f"{k.name} {record['config']}: graph: {type(e).__name__}: {str(e)[:200]}")
            torch.cuda.synchronize()

    def run():
        for _ in range(rounds):
            for launch in launches:
                for _ in range(TIMES):
                    launch()

    try:
        run()
        events = [e for e in profiled(torch, run, os.path.join(folder, "trace.json")) if e["name"] == k.fn.__name__]
        if len(events) != rounds * len(launches) * TIMES:
            raise RuntimeError(f"{len(events)} kernels were profiled, and {rounds * len(launches) * TIMES} launched")
        for at, record in enumerate(records):
            own = []
            for r in range(rounds):
                first = (r * len(records) + at) * TIMES
                own += events[first + 2:first + TIMES]  # the first follow another configuration
            record["durations"] = [round(float(e["dur"]) * 1000) for e in own]
            record["block"] = own[0].get("args", {}).get("block")
            record["profiled_grid"] = own[0].get("args", {}).get("grid")
    except Exception as e:  # noqa: BLE001: told to the log
        say(folder, f"{k.name}: profiler: {type(e).__name__}: {str(e)[:300]}")
    return records


def keep(folder, cache, hashes):
    """Copy what the cache has of the configurations: cubin, JSON and TTIR."""
    found = 0
    for path, _, files in os.walk(cache):
        for name in files:
            if not name.endswith(".json") or name.startswith("__grp__"):
                continue
            with open(os.path.join(path, name)) as f:
                if json.load(f).get("hash") not in hashes:
                    continue
            to = os.path.join(folder, "cache", os.path.basename(path))
            os.makedirs(to, exist_ok=True)
            for ending in (".json", ".cubin", ".ttir"):
                file = os.path.join(path, name[:-len(".json")] + ending)
                if os.path.exists(file):
                    shutil.copy(file, to)
            found += 1
    return found


def main():
    folder = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1e9
    os.makedirs(folder, exist_ok=True)
    cache = os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(folder, "all"))
    import torch
    import triton

    import perf_triton
    kernels = KERNELS()
    say(folder, f"torch {torch.__version__}, triton {triton.__version__}, {torch.cuda.get_device_name()}")
    compiled = compile_all(folder, kernels, 0.5 * seconds)
    described = perf_triton.Recorder()
    warm = torch.randn(4096, 4096, device="cuda", dtype=torch.float16)
    hashes = set()
    for number, k in enumerate(kernels):
        left = seconds - (time.time() - BEGAN)
        configs = [c for at, c in enumerate(k.configs) if (number, at) in compiled]
        if left < 0.05 * seconds or not configs:
            say(folder, f"{k.name}: left out, {len(configs)} configurations, {left:.0f} s left")
            continue
        try:
            for _ in range(100):  # so that the clock is up
                warm @ warm
            records = measure(folder, torch, k, configs, ROUNDS, lambda: perf_triton.recorder(described))
            hashes |= {r["hash"] for r in records}
            with open(os.path.join(folder, k.half + ".jsonl"), "a") as out:
                for r in records:
                    out.write(json.dumps(r) + "\n")
            timed = [statistics.median(r["durations"]) for r in records if "durations" in r]
            say(folder, f"{k.name}: {len(records)} configurations, {len(timed)} timed"
                + (f", {min(timed) / 1000:.1f} to {max(timed) / 1000:.1f} us" if timed and k.half in ("choose", "further", "study", "learn") else ""))
        except Exception as e:  # noqa: BLE001: told to the log
            say(folder, f"{k.name}: {type(e).__name__}: {str(e)[:500]}\n{traceback.format_exc()[-800:]}")
        torch.cuda.empty_cache()
    say(folder, f"kept {keep(folder, cache, hashes)} of the cache")
    try:
        say(folder, f"described: {len(described.write(os.path.join(folder, 'described')))}; {sorted(described.failures)[:3]}")
    except Exception as e:  # noqa: BLE001: told to the log
        say(folder, f"perf_triton: {type(e).__name__}: {e}")
    sys.stdout.flush()
    os._exit(0)  # no waiting for processes that still compile


if __name__ == "__main__":
    main()
