# %% [markdown]
# # Which product of matrices, at which size?
# The cells of a notebook, for Jupyter, VS Code, or `python3 notebook.py`. Needs perf_client (`pip install ./python`) and perf on the PATH; no GPU.

# %%
import os

from perf_client import Perf, PerfError

try:
    import pandas
except ImportError:
    pandas = None

MATMUL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "matmul")
KERNELS = [os.path.join(MATMUL, name) for name in ("matmul.star", "matmul_prefetch.star")]
perf = Perf(profile="h200")

# %% Predictions at many sizes are rows of a table.
rows = [row for kernel in KERNELS for row in perf.rows(kernel, [{"n": n} for n in (512, 1024, 2048)])]
print(pandas.DataFrame(rows) if pandas else "\n".join(f"{row['kernel']} n={row['n']}: {row['seconds'] * 1e3:.3f} ms" for row in rows))

# %% The same for a kernel function in CUDA C, with its launch.
saxpy = os.path.join(MATMUL, "..", "kernels", "saxpy.cu#saxpy")
print(f"saxpy: {perf.predict(saxpy, local=256, global_='n', n=1 << 24)['seconds'] * 1e6:.1f} µs")

# %% What differs between the two, and what to change in the slower one.
slow = perf.explain(KERNELS[0], n=2048)
print(f"bound by {slow['bound']}")
for remedy in slow["remedies"]:
    print(f"- {remedy['text']}")

# %% Errors name the place.
try:
    perf.count(os.path.join(MATMUL, "none.star"))
except PerfError as error:
    print(f"refused: {error.message}")

# %%
perf.close()
