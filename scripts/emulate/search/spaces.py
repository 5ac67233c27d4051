#!/usr/bin/env python3
"""spaces.py NAME FOLDER: the search space of testdata/search/NAME.yaml, as record wants it.

FOLDER gets NAME.codes (values of TX TY TZ UNROLL) and NAME.configurations: first the base, then 300 drawn at random, then those without places
to go on to, then the others, in random order. What of it fits into the time is recorded.
"""
import itertools
import random
import sys

SPACES = {
    "contraction": dict(
        extent=(64, 64, 2048), base=(64, 4, 1),
        block=([8, 16, 32, 64], [1, 2, 4, 8, 16, 32], [1, 2, 4, 8]), thread=([1, 2, 4], [1, 2, 4, 8], [1, 2, 4]),
        places=([1, 2], [1, 2, 4], [1, 2, 4, 8]), unroll=[1, 2, 4, 8], most=32),
    "stencil": dict(
        extent=(256, 256, 256), base=(64, 4, 1),
        block=([8, 16, 32, 64, 128], [1, 2, 4, 8, 16], [1, 2, 4, 8]), thread=([1, 2], [1, 2, 4], [1, 2, 4, 8]),
        places=([1, 2], [1, 2], [1, 2, 4, 8]), unroll=[1, 2, 4], most=16),
}


def product(v):
    return v[0] * v[1] * v[2]


def main(name, folder):
    s = SPACES[name]
    threads = [t for t in itertools.product(*s["thread"]) if product(t) <= s["most"]]
    codes = sorted(((t, u) for t in threads for u in s["unroll"]), key=lambda c: product(c[0]) * c[1])
    number = {c: i for i, c in enumerate(codes)}
    with open(f"{folder}/{name}.codes", "w") as f:
        for t, u in codes:
            print(*t, u, file=f)
    all = []
    for c in codes:
        for b in itertools.product(*s["block"]):
            if not 64 <= product(b) <= 512:
                continue
            for p in itertools.product(*s["places"]):
                if all_fit(b, c[0], p, s["extent"]):
                    all.append((c, b, p))
    random.seed(2018)
    random.shuffle(all)
    base = (((1, 1, 1), 1), s["base"], (1, 1, 1))
    first = all[:300]
    rest = sorted(all[300:], key=lambda x: product(x[2]) > 1)
    with open(f"{folder}/{name}.configurations", "w") as f:
        for i, (c, b, p) in enumerate([base] + first + rest):
            grid = [e // (x * y * z) for e, x, y, z in zip(s["extent"], b, c[0], p)]
            print(number[c], *b, *grid, *p, 15 if i <= 300 else 3, file=f)
    print(name, len(codes), "codes", len(all), "configurations", sum(product(p) == 1 for _, _, p in all), "without places")


def all_fit(b, t, p, extent):
    return all(x * y * z <= e for x, y, z, e in zip(b, t, p, extent))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
