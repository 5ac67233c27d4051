"""A small transformer's forward pass, for `perf capture` and for the profiler.

    python3 transformer.py            one forward pass
    python3 transformer.py FILE       its kernels with their durations, of ten passes, into FILE (a JSON object in a line for each kernel)

Weights and tokens are made on the host, so that the kernels of the pass are all that the program launches.
"""
import json
import math
import os
import sys

import torch
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, VOCABULARY, BATCH, LENGTH = 6, 1024, 16, 16384, 4, 1024


def weights():
    g = torch.Generator().manual_seed(1)

    def matrix(*shape):
        return (torch.randn(*shape, generator=g) / math.sqrt(shape[0])).half().cuda()

    layers = [dict(qkv=matrix(WIDTH, 3 * WIDTH), out=matrix(WIDTH, WIDTH), up=matrix(WIDTH, 4 * WIDTH), down=matrix(4 * WIDTH, WIDTH),
                   **{n: torch.ones(WIDTH).half().cuda() for n in ("scale1", "scale2")},
                   **{n: torch.zeros(WIDTH).half().cuda() for n in ("shift1", "shift2")}) for _ in range(LAYERS)]
    embedding = (torch.randn(VOCABULARY, WIDTH, generator=g) * 0.02).half().cuda()
    places = (torch.randn(LENGTH, WIDTH, generator=g) * 0.02).half().cuda()
    tokens = torch.randint(0, VOCABULARY, (BATCH, LENGTH), generator=g).cuda()
    return layers, embedding, places, tokens


def heads(x):
    return x.reshape(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)


def forward(layers, embedding, places, tokens):
    x = F.embedding(tokens, embedding) + places
    for w in layers:
        h = F.layer_norm(x, (WIDTH,), w["scale1"], w["shift1"])
        q, k, v = (heads(part) for part in (h @ w["qkv"]).split(WIDTH, dim=2))
        p = torch.softmax((q @ k.transpose(2, 3)) * (WIDTH // HEADS) ** -0.5, dim=3)
        x = x + (p @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH) @ w["out"]
        h = F.layer_norm(x, (WIDTH,), w["scale2"], w["shift2"])
        x = x + F.gelu(h @ w["up"]) @ w["down"]
    return F.layer_norm(x, (WIDTH,)) @ embedding.t()


@torch.no_grad()
def main():
    model = weights()
    if len(sys.argv) < 2:
        forward(*model)
        torch.cuda.synchronize()
        return
    from torch.profiler import ProfilerActivity, profile
    passes = 10
    for _ in range(20):
        y = forward(*model)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as p:
        for _ in range(passes):
            y = forward(*model)
        torch.cuda.synchronize()
    trace = sys.argv[1] + ".trace"
    p.export_chrome_trace(trace)
    with open(trace) as f:
        events = sorted((e for e in json.load(f)["traceEvents"] if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")),
                        key=lambda e: float(e["ts"]))
    os.remove(trace)
    n = len(events) // passes
    rows = [[events[i + r * n] for r in range(passes)] for i in range(n)]
    if len(events) % passes or any(len({e["name"] for e in row}) > 1 for row in rows):
        print(f"{len(events)} kernels in {passes} passes, which are not alike: each stands for itself")
        rows = [[e] for e in events]
    with open(sys.argv[1], "w") as out:
        for row in rows:
            args = row[0].get("args", {})
            out.write(json.dumps({"name": row[0]["name"], "grid": args.get("grid"), "block": args.get("block"), "shared": args.get("shared memory"),
                                  "registers": args.get("registers per thread"), "durations": [round(float(e["dur"]) * 1000) for e in row]}) + "\n")
    a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a.record()
    for _ in range(passes):
        y = forward(*model)
    b.record()
    torch.cuda.synchronize()
    print(f"{n} kernels, {sum(float(e['dur']) for e in events) / passes:.1f} us in kernels, {a.elapsed_time(b) * 1000 / passes:.1f} us a pass",
          y.shape, bool(torch.isfinite(y).all()))


if __name__ == "__main__":
    main()
