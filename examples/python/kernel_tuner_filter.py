"""Kernel Tuner with a search space from which perf has taken what it predicts to be slow, before anything is compiled or run.

    python3 kernel_tuner_filter.py [PROFILE]       # that of the H200, unless another is named

The kernel is examples/tune/product.cl. Its launch file, product.yaml, says perf what the parameters are; the same ones, as macros, are Kernel Tuner's.
Needs Kernel Tuner with PyOpenCL, and perf_client: `pip install ./python`.
"""
import os
import sys

from perf_client import Perf

TUNE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tune")
N = 1024


def fast(perf, file, sizes, within=2.0):
    """The configurations of a launch file, and a restriction for tune_kernel: whether the predicted time of one is within a multiple of the best predicted one.
    Parameters have the names of the launch file, in capitals."""
    every = perf.search(kernel=file, sizes=sizes, strategy="random").ask(10_000)
    best = min(c.predicted_seconds for c in every if c.predicted_seconds)
    left = {tuple(sorted(c.items())) for c in every if c.predicted_seconds and c.predicted_seconds <= within * best}
    names = list(every[0])
    print(f"perf leaves {len(left)} of {len(every)} configurations, predicted to take {best * 1e3:.3f} ms or up to {within:g} times as long")
    return every, lambda values: tuple(sorted((name, values[name.upper()]) for name in names)) in left


def main():
    import kernel_tuner
    import numpy

    with Perf(profile=sys.argv[1] if len(sys.argv) > 1 else "h200") as perf:
        every, predicted_fast = fast(perf, os.path.join(TUNE, "product.yaml"), {"n": N})
    values = {name.upper(): sorted({c[name] for c in every}) for name in every[0]}
    values |= {"block_size_x": values["TILE"], "block_size_y": sorted({c["tile"] // c["rows"] for c in every})}

    def restriction(c):
        return c["block_size_x"] == c["TILE"] and c["block_size_y"] * c["ROWS"] == c["TILE"] and predicted_fast(c)

    a, b = (numpy.random.default_rng(seed).standard_normal((N, N), dtype=numpy.float32) for seed in (1, 2))
    results, _ = kernel_tuner.tune_kernel(
        "product", os.path.join(TUNE, "product.cl"), (N, N), [a, b, numpy.zeros_like(a), numpy.int32(N)], values,
        grid_div_x=["TILE"], grid_div_y=["TILE"], restrictions=restriction, answer=[None, None, a @ b, None], atol=1e-2, lang="OpenCL")
    best = min(results, key=lambda r: r["time"])
    print(f"the fastest of {len(results)} takes {best['time']:.3f} ms: TILE {best['TILE']}, ROWS {best['ROWS']}")


if __name__ == "__main__":
    main()
