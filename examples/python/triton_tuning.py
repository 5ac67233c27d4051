"""Tune Triton kernels with few runs: the configurations are compiled, `perf` emulates their machine code, and the three fastest are run.

    python3 triton_tuning.py [WAY...]

The ways: `pruned`, with perf_triton.Model as the perf_model of prune_configs_by; `all`, triton.autotune as it is; `ahead`, the same, but the configurations are
compiled side by side first. Each has a process and a cache of its own. What comes out is a line of JSON for each kernel, with the seconds of tuning and the
time of the chosen configuration, and at the end a table. What pruning loses is told by the times of the other ways, which run every configuration.

Needs a GPU, PyTorch, Triton, perf on the PATH (or PERF), and perf_triton.py and perf_client: `pip install ./python`.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import torch
import triton
import triton.language as tl

import perf_triton

WAYS = ("pruned", "all", "ahead")
TOP = 3


@triton.jit
def nothing(x):
    """Launched first, so that what Triton makes once for all kernels is not counted."""
    tl.store(x, 0.0)


@triton.jit
def linear(x, w, bias, y, M, N, K, M_TILE: tl.constexpr, N_TILE: tl.constexpr, K_TILE: tl.constexpr):
    """y = relu(x w + bias), of halves on tensor cores."""
    m = tl.program_id(0) * M_TILE + tl.arange(0, M_TILE)
    n = tl.program_id(1) * N_TILE + tl.arange(0, N_TILE)
    k = tl.arange(0, K_TILE)
    px, pw = x + m[:, None] * K + k[None, :], w + k[:, None] * N + n[None, :]
    acc = tl.zeros((M_TILE, N_TILE), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, K_TILE)):
        acc = tl.dot(tl.load(px), tl.load(pw), acc)
        px += K_TILE
        pw += K_TILE * N
    acc += tl.load(bias + n)[None, :].to(tl.float32)
    tl.store(y + m[:, None] * N + n[None, :], tl.maximum(acc, 0.0).to(tl.float16))


@triton.jit
def residual(x, r, weight, y, count, width, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """y = weight (x + r) / rms(x + r), row by row, in blocks of columns."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * width
    squares = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    for start in range(0, width, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = (row[:, None] < count) & (i[None, :] < width)
        v = tl.load(x + at + i[None, :], mask=inside, other=0.0).to(tl.float32) + tl.load(r + at + i[None, :], mask=inside, other=0.0).to(tl.float32)
        squares += v * v
    scale = 1.0 / tl.sqrt(tl.sum(squares, 1) / width + eps)
    for start in range(0, width, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = (row[:, None] < count) & (i[None, :] < width)
        v = tl.load(x + at + i[None, :], mask=inside, other=0.0).to(tl.float32) + tl.load(r + at + i[None, :], mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + i, mask=i < width, other=0.0).to(tl.float32)
        tl.store(y + at + i[None, :], (v * scale[:, None] * w[None, :]).to(tl.float16), mask=inside)


@triton.jit
def blur(x, y, height, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """The mean of nine neighbours of each pixel."""
    i = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    acc = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for di in tl.static_range(-1, 2):
        for dj in tl.static_range(-1, 2):
            inside = (i[:, None] + di >= 0) & (i[:, None] + di < height) & (j[None, :] + dj >= 0) & (j[None, :] + dj < width)
            acc += tl.load(x + (i[:, None] + di) * width + j[None, :] + dj, mask=inside, other=0.0)
    tl.store(y + i[:, None] * width + j[None, :], acc / 9, mask=(i[:, None] < height) & (j[None, :] < width))


def random(*shape, dtype=torch.float16):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def tuned(fn, way, key, names, rows):
    """triton.autotune of a kernel, as the way has it; the rows of values end with num_warps and num_stages."""
    configs = [triton.Config(dict(zip(names.split(), row)), num_warps=row[-2], num_stages=row[-1]) for row in rows]
    model = perf_triton.Model(lambda: fn)

    def ahead(configs, arguments, **kwargs):
        model.compile(configs, arguments, kwargs)
        return configs

    tuner = triton.autotune(configs, key, prune_configs_by={"all": None, "ahead": {"early_config_prune": ahead}, "pruned": model.prune(top_k=TOP)}[way])(fn)
    tuner.model = model
    return tuner


def of_linear(way):
    """The tuner of a kernel, its launch, and what it computes beside what it should."""
    m, n, k = 4096, 4096, 2048
    x, w, bias, y = random(m, k), random(k, n), random(n), random(m, n)
    tiles = ((64, 64), (64, 128), (128, 64), (128, 128), (64, 256), (128, 256))
    tuner = tuned(linear, way, ["M", "N", "K"], "M_TILE N_TILE K_TILE",
                  [(*tile, 64, warps, stages) for tile in tiles for warps in (4, 8) for stages in (2, 4)])
    return (tuner, lambda: tuner[lambda c: (triton.cdiv(m, c["M_TILE"]), triton.cdiv(n, c["N_TILE"]))](x, w, bias, y, m, n, k),
            lambda: (y.float(), torch.relu(x.float() @ w.float() + bias.float())))


def of_residual(way):
    count, width = 16384, 4096
    x, r, weight, y = random(count, width), random(count, width), random(width), random(count, width)
    parts = ((1, 4096), (2, 4096), (1, 1024), (4, 1024), (8, 512))
    tuner = tuned(residual, way, ["count", "width"], "ROWS BLOCK", [(*part, warps, 1) for part in parts for warps in (2, 4, 8, 16)])

    def compare():
        s = x.float() + r.float()
        return y.float(), s * torch.rsqrt((s * s).mean(1, keepdim=True) + 1e-6) * weight.float()

    return tuner, lambda: tuner[lambda c: (triton.cdiv(count, c["ROWS"]),)](x, r, weight, y, count, width, 1e-6), compare


def of_blur(way):
    n = 8192
    x, y = random(n, n, dtype=torch.float32), random(n, n, dtype=torch.float32)
    tiles = ((8, 32), (8, 64), (8, 128), (16, 32), (16, 64), (32, 32), (32, 64), (1, 256), (1, 1024), (4, 256))
    tuner = tuned(blur, way, ["height", "width"], "ROWS COLUMNS", [(*tile, warps, 1) for tile in tiles for warps in (1, 4)])
    return (tuner, lambda: tuner[lambda c: (triton.cdiv(n, c["COLUMNS"]), triton.cdiv(n, c["ROWS"]))](x, y, n, n),
            lambda: (y, torch.nn.functional.avg_pool2d(x[None], 3, 1, 1)[0]))


KERNELS = {"linear": of_linear, "residual": of_residual, "blur": of_blur}


def tune(name, way):
    """Tune a kernel in this process, and say what it took."""
    tuner, launch, compare = KERNELS[name](way)
    torch.cuda.synchronize()
    began = time.perf_counter()
    launch()
    torch.cuda.synchronize()
    took = time.perf_counter() - began
    got, want = compare()
    times = {str(c): t[0] / 1e3 for c, t in tuner.configs_timings.items()}
    return {"kernel": name, "way": way, "tuning_seconds": took, "configurations": len(tuner.configs), "run": len(times), "spent": tuner.model.spent,
            "best": str(tuner.best_config), "best_seconds": min(times.values()), "error": float((got - want).abs().max() / want.abs().max()), "times": times,
            "estimates": tuner.model.estimates, "failed": tuner.model.failed}


def main():
    if sys.argv[1:2] == ["--here"]:
        nothing[(1,)](random(1))
        for name in KERNELS:
            print(json.dumps(tune(name, sys.argv[2])), flush=True)
        return
    told = []
    for way in sys.argv[1:] or WAYS:
        with tempfile.TemporaryDirectory() as cache:  # nothing is compiled yet
            ran = subprocess.Popen([sys.executable, __file__, "--here", way], stdout=subprocess.PIPE, env={**os.environ, "TRITON_CACHE_DIR": cache}, text=True)
            for line in ran.stdout:
                print(line, end="", flush=True)
                told.append(json.loads(line))
            if ran.wait() != 0:
                print(f"the way {way} has failed", file=sys.stderr)
    print(f"{'kernel':10}{'way':>8}{'run':>10}{'tuning':>10}{'compiling':>11}{'emulating':>11}{'slower than the best':>22}")
    for t in told:
        every = next((o["times"] for o in told if o["kernel"] == t["kernel"] and o["way"] != "pruned"), None)
        loss = f"{100 * (every[t['best']] / min(every.values()) - 1):.1f} %" if every else ""
        parts = [f"{t['spent'][part]:.2f} s" if t["way"] == "pruned" else "" for part in ("compiling", "emulating")]
        print(f"{t['kernel']:10}{t['way']:>8}{t['run']:>4} of {t['configurations']:<3}{t['tuning_seconds']:>8.2f} s{parts[0]:>11}{parts[1]:>11}{loss:>22}")


if __name__ == "__main__":
    main()
