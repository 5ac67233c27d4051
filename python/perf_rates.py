"""How many predictions a second Python gets from perf: python3 python/perf_rates.py, in the root of the repository.

Each line is one way to ask: by a model of symbolic counts, one by one, without waiting for each answer, and a hundred sizes to a question; by the model for
any kernel at sizes it has not seen; and by the same of kernels that it has not seen. Rates are by the time on the clock, and by the time that the two
processes compute, each for itself: that is the rate of a processor of its own.
"""
from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Iterator

sys.path.insert(0, str(Path(__file__).parent))
from perf_client import Perf  # noqa: E402

KERNEL = "examples/matmul/matmul_prefetch.star"
SYMBOLIC = "examples/matmul/own_kernel.yaml"
RECORDED = "testdata/h200/matmul_2_2.jsonl"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=2, help="how long each way is measured, about")
    seconds = arguments.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        symbolic = str(Path(folder) / "symbolic.yaml")
        subprocess.run([os.environ.get("PERF", "perf"), "calibrate", SYMBOLIC, "--device", f"replay:{RECORDED}", "--profile", symbolic],
                       check=True, stdout=subprocess.DEVNULL)
        print(f"{'':44}{'predictions/s':>14}{'by perf alone':>15}{'by Python alone':>17}")
        for name, profile, way in [
            ("symbolic, one by one", symbolic, one_by_one),
            ("symbolic, without waiting", symbolic, together),
            ("symbolic, a hundred sizes to a question", symbolic, hundreds),
            ("general, other sizes, one by one", "h200", one_by_one),
            ("general, a hundred sizes to a question", "h200", hundreds),
            ("general, kernels not seen before", "h200", fresh(Path(folder))),
        ]:
            report(name, profile, way, seconds)


Way = Callable[[Perf, Iterator[int]], int]


def one_by_one(perf: Perf, sizes: Iterator[int]) -> int:
    perf.predict(KERNEL, n=next(sizes))
    return 1


def together(perf: Perf, sizes: Iterator[int]) -> int:
    return len(perf.predict_all([(KERNEL, {"n": next(sizes)}) for _ in range(1000)]))


def hundreds(perf: Perf, sizes: Iterator[int]) -> int:
    return len(perf.seconds(KERNEL, [{"n": next(sizes)} for _ in range(100)]))


def fresh(folder: Path) -> Way:
    text = Path(KERNEL).read_text()

    def one(perf: Perf, sizes: Iterator[int]) -> int:
        path = folder / "fresh.star"
        n = next(sizes)
        path.write_text(text.replace("n >= 1", f"n >= {n}") + f"\n# {n}\n")
        perf.predict(str(path), n=16 * n)
        return 1

    return one


def report(name: str, profile: str, way: Way, seconds: float) -> None:
    """Measures one way, after a first call that loads what is kept."""
    with Perf(profile=profile) as perf:
        sizes = iter(range(16, 16 * 10_000_000, 16))
        way(perf, sizes)
        done, started, own, other = 0, time.monotonic(), time.process_time(), computed(perf)
        while time.monotonic() < started + seconds:
            done += way(perf, sizes)
        clock, own, other = time.monotonic() - started, time.process_time() - own, computed(perf) - other
        other = max(other, 1 / os.sysconf("SC_CLK_TCK"))  # it is counted in these
        print(f"{name:44}{done / clock:14,.0f}{done / other:15,.0f}{done / own:17,.0f}")


def computed(perf: Perf) -> float:
    """The seconds that perf has computed, on all processors."""
    fields = Path(f"/proc/{perf._process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
