#!/usr/bin/env python3
"""Write down how a program launches its Triton kernels, for `perf emulate --triton`.

    python3 perf_triton.py -o described train.py --size 4096

runs train.py with its arguments as always, and leaves a description (YAML) of each kernel in the folder: its arguments, its grid, and the
values of the constexprs of each configuration that was compiled, as autotuners compile many. Triton's cache, which holds the machine code, is
where it always is, or where TRITON_CACHE_DIR says. Then

    perf emulate --triton ~/.triton/cache described/matmul.yaml

ranks the configurations, on a machine without a GPU too. From within a program:

    import perf_triton
    with perf_triton.record("described"):
        ...

Tensors of integers that are small are kept beside the description, as they are often indices, which decide about addresses.

To let triton.autotune run only those configurations that are emulated to be the fastest:

    model = perf_triton.Model(lambda: matmul)

    @triton.autotune(configs, key=["M", "N", "K"], prune_configs_by=model.prune(top_k=3))
    @triton.jit
    def matmul(...):
        ...

Needs nothing but the standard library, Triton 3.0 or newer, and PyTorch where tensors are passed.
"""
from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import inspect
import math
import os
import re
import runpy
import sys
import tempfile
import time
from typing import Any, Callable, Mapping, Sequence

KEPT = 1 << 20  # bytes of a tensor of integers whose contents are kept


class Launch:
    """A kernel with arguments; its configurations differ in constexprs and options."""

    def __init__(self, name, args):
        self.name, self.args = name, args
        self.configurations = {}
        self.contents = {}  # of buffers, by name


class Recorder:
    """Keeps the launches of a program, and writes a description of each kernel."""

    def __init__(self):
        self.launches = {}
        self.failures = set()

    def saw(self, function, kernel, grid, args, kwargs):
        """Keep a launch. A failure is said once, and never stops the program."""
        try:
            self.keep(function, kernel, grid, args, kwargs)
        except Exception as e:  # noqa: BLE001: what a user's program passes is not known
            if str(e) not in self.failures:
                self.failures.add(str(e))
                print(f"perf_triton: {getattr(function, '__name__', function)}: {type(e).__name__}: {e}", file=sys.stderr)

    def keep(self, function, kernel, grid, args, kwargs):
        names = [p.name for p in function.params]
        constant = {p.name for p in function.params if p.is_constexpr}
        bound = inspect.signature(function.fn).bind(*args, **{k: v for k, v in kwargs.items() if k in names})
        bound.apply_defaults()
        values = bound.arguments
        if callable(grid):
            grid = grid(dict(values))
        grid = [int(n) for n in (grid if isinstance(grid, (tuple, list)) else (grid,))]
        described, storages = [], {}
        for name in names:
            if name not in constant:
                described.append((name, argument(name, values[name], storages)))
        described = tuple((name, first(text, storages)) for name, text in described)
        metadata = kernel.metadata
        name = getattr(metadata, "name", function.__name__)
        key = (name, described)
        if key not in self.launches:
            self.launches[key] = Launch(name, described)
            self.launches[key].contents = {n: c for n in names if n not in constant and (c := contents(values[n])) is not None}
        launch = self.launches[key]
        entries = [(n, value(values[n])) for n in names if n in constant]
        taken = set(names)
        for option in ("num_warps", "num_stages", "num_ctas"):
            if option not in taken and getattr(metadata, option, None) is not None:
                entries.append((option, str(getattr(metadata, option))))
        launch.configurations.setdefault(kernel.hash, entries + [("grid", str(grid)), ("hash", quoted(kernel.hash))])

    def write(self, folder):
        """Write a file of each kernel, and return the paths."""
        os.makedirs(folder, exist_ok=True)
        cache = os.environ.get("TRITON_CACHE_DIR") or os.path.join(os.path.expanduser("~"), ".triton", "cache")
        paths, taken = [], {}
        for launch in self.launches.values():
            base = re.sub(r"\W+", "_", launch.name)[:60]
            taken[base] = taken.get(base, 0) + 1
            path = os.path.join(folder, base + (f"-{taken[base]}" if taken[base] > 1 else "") + ".yaml")
            data = {}
            for name, held in launch.contents.items():
                data[name] = f"{os.path.basename(path)[:-len('.yaml')]}.{name}.bin"
                with open(os.path.join(folder, data[name]), "wb") as out:
                    out.write(held)
            with open(path, "w") as out:
                out.write(text(launch, cache, data))
            paths.append(path)
        return paths


def text(launch, cache, data):
    """The description of a launch."""
    lines = [f"# {launch.name}, as perf_triton.py has seen it launched by {os.path.basename(sys.argv[0])}.", "version: 1",
             f"triton: {quoted(os.path.abspath(cache))}", f"kernel: {quoted(launch.name)}", "args:"]
    for name, what in launch.args:
        if name in data:
            what = what[:-1] + f", data: {quoted(data[name])}}}"
        lines.append(f"  {name}: {what}")
    lines.append("configurations:")
    for entries in launch.configurations.values():
        lines.append("  - {" + ", ".join(f"{name}: {what}" for name, what in entries) + "}")
    return "\n".join(lines) + "\n"


def argument(name, v, storages):
    """An argument as YAML; a tensor is noted with its storage, as several may lie in one."""
    if v is None:
        return '{hex: "0000000000000000"}'
    if hasattr(v, "data_ptr"):
        if hasattr(v, "untyped_storage"):
            start, size = v.untyped_storage().data_ptr(), v.untyped_storage().nbytes()
        else:
            start, size = v.data_ptr(), v.numel() * v.element_size()
        storages.setdefault(start, [name, size])
        dtype = str(getattr(v, "dtype", "uint8")).rsplit(".", 1)[-1]
        return (name, start, v.data_ptr() - start, dtype, v.element_size())
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, (int, float)):
        return value(v)
    raise TypeError(f"argument {name} is a {type(v).__name__}, which a description cannot hold")


def contents(v):
    """What a small tensor of integers holds, where it is a storage of its own."""
    if not hasattr(v, "untyped_storage") or v.dtype.is_floating_point or v.dtype.is_complex:
        return None
    size = v.numel() * v.element_size()
    if not 0 < size <= KEPT or size != v.untyped_storage().nbytes() or not v.is_contiguous() or str(v.dtype).rsplit(".", 1)[-1] not in DTYPES:
        return None
    import torch
    if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
        return None
    return v.detach().cpu().numpy().tobytes()


# Types of elements that launch files have, by the names of PyTorch; others are bytes.
DTYPES = {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def first(what, storages):
    """The text of an argument; the first that lies in a storage describes it."""
    if isinstance(what, str):
        return what
    name, start, at, dtype, item = what
    owner, size = storages[start]
    place = f", at: {at}" if at else ""
    if owner != name:
        return f"{{buffer: {owner}{place}}}"
    if dtype in DTYPES and size % item == 0 and size:
        return f"{{dtype: {dtype}, size: {size // item}{place}}}"
    return f"{{bytes: {max(size, 1)}{place}}}"


def value(v):
    """A value as YAML: numbers and truths are numbers, all else is text."""
    v = getattr(v, "value", v)  # of a tl.constexpr
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float) and v == v and abs(v) != float("inf"):
        return repr(v)
    return quoted(getattr(v, "__name__", str(v)))


def quoted(s):
    return '"' + str(s).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


@contextlib.contextmanager
def recorder(r=None):
    """Listen to all launches, by standing before JITFunction.run, which returns the compiled kernel."""
    from triton.runtime.jit import JITFunction
    r, run = r or Recorder(), JITFunction.run

    @functools.wraps(run)
    def watched(self, *args, grid, warmup, **kwargs):
        kernel = run(self, *args, grid=grid, warmup=warmup, **kwargs)
        if kernel is not None and hasattr(kernel, "metadata") and grid is not None:
            r.saw(self, kernel, grid, args, kwargs)
        return kernel

    JITFunction.run = watched
    try:
        yield r
    finally:
        JITFunction.run = run


@contextlib.contextmanager
def record(folder):
    """Write descriptions of what is launched within into a folder."""
    with recorder() as r:
        try:
            yield r
        finally:
            for path in r.write(folder):
                print(f"perf_triton: {path}", file=sys.stderr)


class Model:
    """How long configurations of a kernel take, by emulation of their machine code: for prune_configs_by of triton.autotune.

    The configurations are compiled side by side and emulated together; none is run. `spent` has the seconds of both, of all tunings so far, and `estimates`
    those of the last one's configurations, by their text; `failed` says of others why they were not compiled, or cannot be launched.
    """

    def __init__(self, kernel: Callable[[], Any], perf: Any = None, on: str | None = None, cache: str | None = None):
        """kernel() is the kernel, when it is first tuned, also as triton.autotune has made it. perf is a perf_client.Perf; None starts one. on is the device as
        `perf emulate --on` names it, cache Triton's cache where TRITON_CACHE_DIR does not say it."""
        self.kernel, self.perf, self.on = kernel, perf, on
        self.cache = cache or os.environ.get("TRITON_CACHE_DIR") or os.path.join(os.path.expanduser("~"), ".triton", "cache")
        self.estimates: dict[str, float] = {}
        self.failed: dict[str, str] = {}
        self.spent = {"compiling": 0.0, "emulating": 0.0}

    def prune(self, top_k: int | float) -> dict[str, Any]:
        """What prune_configs_by takes: as many configurations as top_k are run, or that share of them."""
        return {"early_config_prune": self.look, "perf_model": self.seconds, "top_k": top_k}

    def seconds(self, **arguments: Any) -> float:
        """The emulated time of a configuration that look() has seen: the perf_model."""
        return self.estimates[named(arguments, self.chosen)]

    def look(self, configs: Sequence[Any], arguments: Mapping[str, Any], **kwargs: Any) -> list[Any]:
        """Compile and emulate configurations, and return those that could be compiled: the early_config_prune."""
        began = time.perf_counter()
        self.estimates, self.failed = {}, {}
        self.chosen = sorted({name for c in configs for name in c.all_kwargs()})
        self.compile(configs, arguments, kwargs)
        seen, hashes = Recorder(), {}
        with recorder(seen):
            for c in configs:
                try:
                    hashes[named(c.all_kwargs(), self.chosen)] = self.compiled(c, arguments, kwargs).hash
                except Exception as e:  # noqa: BLE001: of Triton's compiler; what fails to compile is not run
                    self.failed[str(c)] = f"{type(e).__name__}: {e}"
        if not hashes:
            raise RuntimeError("no configuration could be compiled: " + next(iter(self.failed.values())))
        if seen.failures:
            raise RuntimeError("the launch cannot be described: " + "; ".join(sorted(seen.failures)))
        compiled = time.perf_counter()
        self.spent["compiling"] += compiled - began
        times = self.emulate(seen)
        self.estimates = {name: times.get(key, math.inf) for name, key in hashes.items()}
        self.spent["emulating"] += time.perf_counter() - compiled
        return [c for c in configs if str(c) not in self.failed]

    def compiled(self, config: Any, arguments: Mapping[str, Any], kwargs: Mapping[str, Any]) -> Any:
        """A configuration as Triton has compiled it, without a launch."""
        from triton.runtime.jit import JITFunction
        function = self.kernel()
        while not isinstance(function, JITFunction) and hasattr(function, "configs"):  # from the tuner to what it tunes
            function = function.fn
        if config.pre_hook is not None:  # which may say how large the blocks of descriptors are
            config.pre_hook({**arguments, **kwargs, **config.all_kwargs()})
        return function.run(*arguments.values(), **{**kwargs, **config.all_kwargs(), "warmup": True})

    def compile(self, configs: Sequence[Any], arguments: Mapping[str, Any], kwargs: Mapping[str, Any]) -> None:
        """Compile side by side, into Triton's cache. What fails is told when it is compiled alone."""
        try:
            from triton.runtime._async_compile import AsyncCompileMode
        except ImportError:  # before Triton 3.4
            return
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool, contextlib.suppress(Exception), AsyncCompileMode(pool):
            for c in configs:
                self.compiled(c, arguments, kwargs)

    def emulate(self, seen: "Recorder") -> dict[str, float]:
        """The seconds of each configuration, by the hash of its machine code."""
        if self.perf is None:
            from perf_client import Perf
            self.perf = Perf()
        with tempfile.TemporaryDirectory() as folder:
            flags = {"on": self.on} if self.on else {}
            told = self.perf.ask("emulate", args=seen.write(folder), triton=self.cache, times=True, **flags)
        times = {}
        for table in told.get("kernels", [told]):
            for one in table["configurations"]:
                times[one["hash"]] = one.get("seconds", math.inf)
                if "error" in one:
                    self.failed[one["hash"]] = one["error"]
        return times


def named(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    """The values of a configuration among arguments, as text."""
    return ", ".join(f"{name}: {arguments[name]}" for name in names if name in arguments)


def main():
    args = sys.argv[1:]
    folder = "described"
    if args[:1] == ["-o"] and len(args) > 1:
        folder, args = args[1], args[2:]
    if not args or args[0].startswith("-"):
        sys.exit("usage: python3 perf_triton.py [-o FOLDER] PROGRAM.py ARGS...")
    sys.argv = args
    sys.path.insert(0, os.path.dirname(os.path.abspath(args[0])))
    with record(folder):
        runpy.run_path(args[0], run_name="__main__")


if __name__ == "__main__":
    main()
