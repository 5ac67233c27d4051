"""Ask perf, the performance-modelling workbench for GPU kernels, from Python.

    from perf_client import Perf

    with Perf(profile="h200") as perf:
        print(perf.predict("matmul.star", n=4096)["seconds"])
        print(perf.predict("saxpy.cu", local=256, global_="n", n=1 << 24)["seconds"])
        for row in perf.rank(["transpose.star"], n=4096)["ranking"]:
            print(row["rank"], row["kernel"], row["seconds"])

        search = perf.search({"bm": [16, 32, 64], "tm": [1, 2, 4]}, ["tm * 16 <= bm"])
        for configuration in search.proposals(budget=20):
            search.tell(configuration, run(configuration))  # seconds, or None where it did not run
        print(search.best)

A Perf is a process of `perf serve --stdio`, which is found on the PATH, in the environment variable PERF, or given. It keeps kernels and
models, so that thousands of predictions take a second. Results are what the commands print with --json: dictionaries and lists of
numbers and strings. What perf refuses is a PerfError. Needs nothing but the standard library.

Who asks one by one waits for each answer. Many sizes of a kernel go into one question, by seconds or predict(at=…); many different questions go
together by ask_all. `python3 perf_rates.py` measures what each gives.
"""
from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
import threading
from typing import Any, Dict, Iterable, Iterator, Mapping, Sequence, Tuple, Union

__all__ = ["Configuration", "Perf", "PerfError", "Search"]

Sizes = Mapping[str, int]
Result = Any

Extent = Union[int, str, Sequence[Union[int, str]]]
"""Work-items or work-groups along the axes: 256, (16, 16), or expressions in sizes such as "m,n/4"."""


def _launch(local: Extent | None, global_: Extent | None, groups: Extent | None, shared: int | str | None, assume: Sequence[str]) -> dict[str, Any]:
    """How a kernel function is launched, as the flags of the commands say it."""
    def text(extent: Extent | int | str) -> str:
        return str(extent) if isinstance(extent, (int, str)) else ",".join(str(e) for e in extent)

    told = {name: text(value) for name, value in (("local", local), ("global", global_), ("groups", groups), ("shared", shared)) if value is not None}
    return {**told, **({"assume": list(assume)} if assume else {})}


_encode = json.JSONEncoder(separators=(",", ":")).encode


class Configuration(Dict[str, Any]):
    """The values of parameters; and the time that a model predicts, where there is one."""

    predicted_seconds: float | None = None


class PerfError(Exception):
    """What perf says against a question: its message, with file, line and column, and what would be right, as far as they are known."""

    def __init__(self, told: Mapping[str, Any]):
        self.message: str = told.get("message", "")
        self.file: str | None = told.get("file")
        self.line: int | None = told.get("line")
        self.column: int | None = told.get("column")
        self.hint: str | None = told.get("hint")
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        known = self.message if not place or place in self.message else f"{place}: {self.message}"
        super().__init__(known + (f"\n    {self.hint}" if self.hint else ""))


class Perf:
    """A running perf. Close it, or use it in a with statement. It is not safe for several threads."""

    def __init__(self, command: str | Sequence[str] | None = None, profile: str | None = None, model: str | None = None):
        """command starts perf; profile and model are those of questions that name none."""
        chosen: str | Sequence[str] = command if command else os.environ.get("PERF", "perf")
        words = [chosen] if isinstance(chosen, str) else list(chosen)
        self._named = {key: value for key, value in (("profile", profile), ("model", model)) if value is not None}
        self._numbers, self._searches = itertools.count(1), itertools.count(1)
        self._command = words[0]
        self._process = subprocess.Popen(
            [*words, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> "Perf":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def ask(self, method: str, **params: Any) -> Result:
        """Asks by a method of `perf serve`, the name of a command such as "lift rank", with its parameters."""
        self._write([(method, params)])
        answer = self._read()
        if isinstance(answer, PerfError):
            raise answer
        return answer

    def ask_all(self, questions: Iterable[Tuple[str, Mapping[str, Any]]]) -> list[Result]:
        """Asks many questions, each a method and its parameters, without waiting for one answer before the next question. The results are in their order; what
        perf refuses is a PerfError among them."""
        asked = list(questions)
        # Another thread writes: perf stops reading where nobody takes its answers.
        writer = threading.Thread(target=self._write, args=(asked,), daemon=True)
        writer.start()
        answers = [self._read() for _ in asked]
        writer.join()
        return answers

    def _write(self, questions: Iterable[Tuple[str, Mapping[str, Any]]]) -> None:
        assert self._process.stdin
        try:
            for method, params in questions:
                self._process.stdin.write(_encode({"id": next(self._numbers), "method": method, "params": params}).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # there is no answer to read then

    def _read(self) -> Result | PerfError:
        """The next answer. That perf has ended is raised."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise PerfError({"message": f"{self._command} has ended, with status {self._process.wait()}",
                             "hint": "Linux has another perf: put the folder of this one first in PATH, set PERF, or pass command=" if next(self._numbers) == 2 else None})
        answer = json.loads(line)
        return PerfError(answer["error"]) if "error" in answer else answer["result"]

    def predict(self, kernel: str, at: Iterable[Sizes] | None = None, *, local: Extent | None = None, global_: Extent | None = None,
                groups: Extent | None = None, shared: int | str | None = None, assume: Sequence[str] = (), profile: str | None = None,
                model: str | None = None, flags: Mapping[str, Any] | None = None, **sizes: int) -> Result:
        """The predicted time of a kernel, FILE or FILE#KERNEL, at sizes: seconds, interval, terms. With at, a list of sizes, or of a file
        with several kernels, the result has "kernels", a list."""
        return self.ask("predict", kernel=kernel, sizes=[dict(s) for s in at] if at is not None else sizes,
                        **self._model(profile, model), **_launch(local, global_, groups, shared, assume), **(flags or {}))

    def seconds(self, kernel: str, at: Iterable[Sizes], **named: Any) -> list[float | None]:
        """The predicted times of one kernel at many sizes, in seconds, None where it cannot run; named are arguments of predict."""
        times: list[float | None] = self.predict(kernel, at, flags={"only": "seconds"}, **named)["seconds"]
        return times

    def rows(self, kernel: str, at: Iterable[Sizes], **named: Any) -> list[dict[str, Any]]:
        """The predictions of one kernel at many sizes, as rows of a table: the kernel, its sizes, seconds, and the ends of the 90 % interval, low and high,
        None where there is none. pandas.DataFrame takes them as they are."""
        result = self.predict(kernel, at, **named)
        return [{"kernel": one["kernel"], **one["at"], "seconds": one.get("seconds"), **dict(zip(("low", "high"), one.get("interval") or (None, None))),
                 "bound": one.get("bound")} for one in result.get("kernels", [result])]

    def predict_all(self, kernels: Iterable[Tuple[str, Sizes]], **named: Any) -> list[Result]:
        """The predicted times of many kernels, each FILE or FILE#KERNEL with its sizes, as by predict. What perf refuses is a PerfError among them."""
        named = {**self._named, **{key: value for key, value in named.items() if value is not None}}
        return self.ask_all(("predict", {"kernel": kernel, "sizes": sizes, **named}) for kernel, sizes in kernels)

    def count(self, kernel: str, *, local: Extent | None = None, global_: Extent | None = None, groups: Extent | None = None,
              shared: int | str | None = None, assume: Sequence[str] = (), flags: Mapping[str, Any] | None = None, **sizes: int) -> Result:
        """What a kernel does: operations and memory accesses, as functions of its sizes, with values where sizes are given."""
        return self.ask("count", kernel=kernel, **({"sizes": sizes} if sizes else {}), **_launch(local, global_, groups, shared, assume), **(flags or {}))

    def rank(self, kernels: Sequence[str], *, local: Extent | None = None, global_: Extent | None = None, groups: Extent | None = None,
             shared: int | str | None = None, assume: Sequence[str] = (), profile: str | None = None, model: str | None = None,
             flags: Mapping[str, Any] | None = None, **sizes: int) -> Result:
        """Kernels by predicted time, fastest first."""
        return self.ask("rank", kernels=list(kernels), sizes=sizes, **self._model(profile, model), **_launch(local, global_, groups, shared, assume), **(flags or {}))

    def explain(self, kernel: str, other: str | None = None, *, local: Extent | None = None, global_: Extent | None = None, groups: Extent | None = None,
                shared: int | str | None = None, assume: Sequence[str] = (), profile: str | None = None, model: str | None = None,
                flags: Mapping[str, Any] | None = None, **sizes: int) -> Result:
        """Why a kernel takes its time, and what would make it faster; with another kernel, what differs between the two."""
        return self.ask("explain", kernels=[kernel] if other is None else [kernel, other], sizes=sizes, **self._model(profile, model),
                        **_launch(local, global_, groups, shared, assume), **(flags or {}))

    def tune(self, kernel: str, *, flags: Mapping[str, Any] | None = None, **sizes: int) -> Result:
        """The fastest configuration of a file that `perf tune` takes, found on a device: flags are those of `perf tune`, such as device and budget."""
        return self.ask("tune", kernel=kernel, sizes=sizes, **(flags or {}))

    def emulate(self, kernel: str, *, local: Extent | None = None, global_: Extent | None = None, groups: Extent | None = None,
                shared: int | str | None = None, assume: Sequence[str] = (), flags: Mapping[str, Any] | None = None, **sizes: int) -> Result:
        """How long a launch file or a kernel takes, told from its machine code; flags={"from": "source"} needs no compiler of CUDA."""
        return self.ask("emulate", kernel=kernel, sizes=sizes, **_launch(local, global_, groups, shared, assume), **(flags or {}))

    def _model(self, profile: str | None, model: str | None) -> dict[str, str]:
        named = (("profile", profile), ("model", model))
        return {**self._named, **{key: value for key, value in named if value is not None}}

    def search(self, parameters: Mapping[str, Sequence[Any]] | None = None, constraints: Sequence[str] = (), *, kernel: str | None = None,
               sizes: Sizes | None = None, strategy: str = "ants", seed: int = 0, profile: str | None = None, model: str | None = None) -> "Search":
        """A search whose configurations you run: of parameters with their values, the first of each being the usual ones, and of constraints between those that
        are integers; or of the choices of a kernel, a file that `perf tune` takes, at sizes. Strategies are those of `perf tune`; with a profile, its model
        orders the configurations of a file."""
        definition: dict[str, Any] = {"parameters": dict(parameters) if parameters is not None else None, "constraints": list(constraints), "kernel": kernel,
                      "sizes": dict(sizes) if sizes else None, "strategy": strategy, "seed": seed}
        definition.update(self._model(profile, model) if kernel is not None else {})
        return Search(self, f"search {next(self._searches)}", {key: value for key, value in definition.items() if value})


class Search:
    """A search for a fast configuration, which asks for configurations and is told how they did."""

    def __init__(self, perf: Perf, name: str, definition: Mapping[str, Any]):
        self._perf, self._name, self._definition = perf, name, dict(definition)
        self.best: Configuration | None = None
        self.best_seconds: float | None = None
        self.told = 0

    def ask(self, count: int = 1) -> list[Configuration]:
        """Configurations to run, at most so many; none where the search has nothing new."""
        answer = self._perf.ask("ask", search=self._name, count=count, **self._definition)
        proposed = []
        for one in answer["configurations"]:
            proposed.append(Configuration(one["configuration"]))
            proposed[-1].predicted_seconds = one.get("predicted_seconds")
        return proposed

    def tell(self, configuration: Mapping[str, Any], seconds: float | None, metrics: Mapping[str, float] | None = None) -> None:
        """How long a configuration took, which need not be one that was asked for: seconds, or None where it did not run or its result was wrong; NaN and infinity
        count as None. Metrics are between 0 and 1, such as its occupancy."""
        known = seconds if seconds is not None and math.isfinite(seconds) else None  # JSON has no NaN and no infinity
        result = {"configuration": dict(configuration), "seconds": known, **({"metrics": dict(metrics)} if metrics else {})}
        answer = self._perf.ask("tell", search=self._name, results=[result], **self._definition)
        self.told = answer["told"]
        if answer["best"]:
            self.best, self.best_seconds = Configuration(answer["best"]["configuration"]), answer["best"]["seconds"]

    def proposals(self, budget: int) -> Iterator[Configuration]:
        """Configurations one after the other, each to be told of before the next, until so many were told or there is nothing new."""
        while self.told < budget:
            some = self.ask()
            if not some:
                return
            yield from some
