"""A test that fails when a kernel takes 10 % longer than it was predicted to.

    PERF_PROFILE=gpu.yaml pytest test_speed.py

PERF_PROFILE is a profile, calibrated while the kernels were as fast as they should be and committed beside them. On a machine with the GPU the kernels are
measured; elsewhere PERF_DEVICE=replay:samples.jsonl takes recorded times. Needs perf on the PATH (or PERF), pytest, and perf_client: `pip install ./python`.
"""
import os

import pytest

from perf_client import Perf

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KERNELS = [("matmul/matmul_prefetch.star", {"n": 4096})]
SLOWER = 1.1


@pytest.fixture(scope="session")
def perf():
    with Perf(profile=os.environ["PERF_PROFILE"]) as running:
        yield running


@pytest.mark.parametrize("kernel, sizes", KERNELS)
def test_speed(perf, kernel, sizes):
    path = os.path.join(EXAMPLES, kernel)
    predicted = perf.predict(path, **sizes)["seconds"]
    device = {"device": os.environ["PERF_DEVICE"]} if "PERF_DEVICE" in os.environ else {}
    (sample,) = perf.ask("measure", kernel=path, sizes=sizes, **device)["samples"]
    assert sample["status"] == "ok", sample["error"]
    measured = sample["summary"]["median"]
    assert measured <= SLOWER * predicted, f"{measured * 1e3:.3f} ms, predicted {predicted * 1e3:.3f} ms"
