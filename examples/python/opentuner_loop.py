"""An OpenTuner loop that begins with what perf predicts to be fastest, and runs nothing that perf's constraints refuse.

    python3 opentuner_loop.py ./product --tile {tile} --rows {rows}

tunes a program that takes the parameters of examples/tune/product.yaml as arguments and prints the seconds that it took. OpenTuner's techniques propose
configurations; perf's search is told of each run too, so that both know the best. Needs OpenTuner, and perf_client: `pip install ./python`.
"""
import argparse
import math
import os
import subprocess
import sys

import opentuner
from opentuner.api import TuningRunManager
from opentuner.measurement.interface import DefaultMeasurementInterface
from opentuner.resultsdb.models import Result
from opentuner.search.manipulator import ConfigurationManipulator, EnumParameter

from perf_client import Perf

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tune", "product.yaml")
PARAMETERS = {"tile": [4, 8, 16, 32], "rows": [1, 2, 4, 8]}
BUDGET, SEEDS = 20, 3


def run(command, configuration):
    """The seconds that the program prints; None where it fails."""
    ran = subprocess.run([word.format(**configuration) for word in command], stdout=subprocess.PIPE, text=True, check=False)
    return float(ran.stdout) if ran.returncode == 0 else None


class Seeded(DefaultMeasurementInterface):
    """OpenTuner's interface of a tuner that is driven from outside, with configurations to begin with."""

    seeds = ()

    def seed_configurations(self):
        return [dict(c) for c in self.seeds]


def main():
    args = argparse.ArgumentParser(parents=opentuner.argparsers()).parse_args([])
    manipulator = ConfigurationManipulator()
    for name, values in PARAMETERS.items():
        manipulator.add_parameter(EnumParameter(name, values))
    with Perf(profile="h200") as perf:
        allowed = perf.search(kernel=FILE, sizes={"n": 1024}, strategy="random").ask(10_000)
        search = perf.search(kernel=FILE, sizes={"n": 1024}, strategy="model")
        Seeded.seeds = search.ask(SEEDS)
        manager = TuningRunManager(Seeded(args=args, manipulator=manipulator, project_name="perf", program_name="product", program_version="1"), args)
        for _ in range(BUDGET):
            desired = manager.get_next_desired_result()
            if desired is None:  # the techniques have nothing new
                break
            configuration = desired.configuration.data
            seconds = run(sys.argv[1:], configuration) if configuration in allowed else None
            manager.report_result(desired, Result(time=seconds) if seconds else Result(state="ERROR", time=math.inf))
            if configuration in allowed:
                search.tell(configuration, seconds)
        print(f"OpenTuner: {manager.get_best_configuration()}; perf: {search.best} in {search.best_seconds} s")
        manager.finish()


if __name__ == "__main__":
    main()
