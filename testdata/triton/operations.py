"""Many operations of PyTorch once each, for `perf capture` and for the profiler, so that one sees whose machine code can be emulated.

    python3 operations.py             each once
    python3 operations.py FILE        their kernels with their durations, into FILE (a JSON object in a line for each kernel)

Arguments are made on the host. An operation that fails is named, and passed by.
"""
import json
import os
import sys
import time

import torch
import torch.nn.functional as F

BEGAN = time.time()
G = torch.Generator().manual_seed(1)


def r(*shape, dtype=torch.float16):
    return torch.randn(*shape, generator=G).to(dtype).cuda()


def whole(high, *shape, dtype=torch.int64):
    return torch.randint(0, high, shape, generator=G).to(dtype).cuda()


def operations():
    """Name and function of each; what they need is made first."""
    f32, bf, f64 = torch.float32, torch.bfloat16, torch.float64
    x, m, n = r(4096, 4096), r(4096, 1024), r(1024, 4096)
    xf, xb, xd = r(4096, 4096, dtype=f32), r(4096, 4096, dtype=bf), r(1024, 1024, dtype=f64)
    image, filters, thin = r(16, 128, 56, 56), r(128, 128, 3, 3), r(128, 1, 7, 7)
    imagel = image.to(memory_format=torch.channels_last)
    filtersl = filters.to(memory_format=torch.channels_last)
    q, k, v = (r(8, 16, 1024, 64) for _ in range(3))
    qb, kb, vb = (r(4, 16, 2048, 128, dtype=bf) for _ in range(3))
    index, few = whole(4096, 8192), whole(4096, 65536)
    a8, b8 = r(2048, 2048).to(torch.float8_e4m3fn), r(2048, 2048).to(torch.float8_e4m3fn).t()
    i8, j8 = whole(100, 2048, 2048, dtype=torch.int8), whole(100, 2048, 2048, dtype=torch.int8).t()
    one = torch.ones((), dtype=f32).cuda()
    long, bits = r(1 << 24, dtype=f32), whole(1 << 30, 1 << 22, dtype=torch.int32)
    weight, ids = r(32000, 1024), whole(32000, 4096)
    complexes = torch.complex(r(512, 4096, dtype=f32), r(512, 4096, dtype=f32))
    mask = (xf > 0)
    scale, shift = r(4096), r(4096)
    mean, var = r(128, dtype=f32), r(128, dtype=f32).abs() + 1
    positive = (xd @ xd.t() + 2000 * torch.eye(1024, dtype=f64).cuda())
    ops = {
        "add": lambda: x + x, "add_f32_broadcast": lambda: xf + xf[0], "cast_f32": lambda: x.float(), "cast_bf16": lambda: xf.bfloat16(), "gelu": lambda: F.gelu(xb),
        "silu": lambda: F.silu(x), "tanh": lambda: torch.tanh(xf), "sin": lambda: torch.sin(xf * 100), "erfinv": lambda: torch.erfinv(xf.tanh()), "pow": lambda: xf.abs() ** 1.7,
        "lgamma": lambda: torch.lgamma(xf), "float64_exp": lambda: torch.exp(xd), "integer_divide": lambda: bits // 7, "remainder": lambda: bits % 1000, "where": lambda: torch.where(mask, xf, 0.0),
        "sum": lambda: xf.sum(), "sum_rows": lambda: x.sum(1), "sum_columns": lambda: x.sum(0), "max": lambda: xf.max(1), "argmax": lambda: x.argmax(0), "norm": lambda: xf.norm(dim=1),
        "softmax": lambda: F.softmax(x, 1), "log_softmax": lambda: F.log_softmax(xf, 0), "layer_norm": lambda: F.layer_norm(x, (4096,), scale, shift), "rms_norm": lambda: F.rms_norm(xb, (4096,)),
        "group_norm": lambda: F.group_norm(image, 32), "batch_norm": lambda: F.batch_norm(image, mean, var, training=False), "batch_norm_train": lambda: F.batch_norm(image, mean.clone(), var.clone(), training=True),
        "cumsum": lambda: xf.cumsum(1), "cumsum_long": lambda: long.cumsum(0), "sort": lambda: long[:1 << 21].sort(), "sort_rows": lambda: xf[:, :1024].sort(1), "topk": lambda: xf.topk(16, 1), "unique": lambda: torch.unique(few),
        "histc": lambda: torch.histc(long, 100), "bincount": lambda: torch.bincount(few), "nonzero": lambda: torch.nonzero(mask[:512]), "masked_select": lambda: xf[mask], "searchsorted": lambda: torch.searchsorted(xf[0].sort().values, long[:1 << 20]),
        "gather": lambda: torch.gather(xf, 1, index[:4096].expand(4096, 4096)), "index_select": lambda: x[index], "scatter_add": lambda: torch.zeros_like(xf).index_add_(0, index, r(8192, 4096, dtype=f32)),
        "embedding": lambda: F.embedding(ids, weight), "transpose": lambda: x.t().contiguous(), "permute": lambda: image.permute(0, 2, 3, 1).contiguous(), "cat": lambda: torch.cat([x, x], 1), "flip": lambda: xf.flip(1), "roll": lambda: xf.roll(3, 1),
        "triu": lambda: xf.triu(), "dropout": lambda: F.dropout(x, 0.1), "randn": lambda: torch.randn(4096, 4096, device="cuda"), "cross_entropy": lambda: F.cross_entropy(xf, index[:4096]),
        "matmul_f16": lambda: m @ n, "matmul_tn": lambda: n.t() @ m.t(), "matmul_bf16": lambda: xb @ xb, "matmul_f32": lambda: xf @ xf, "matmul_f64": lambda: xd @ xd, "matmul_small": lambda: r(37, 200) @ r(200, 75), "matvec": lambda: x @ x[0],
        "bmm": lambda: torch.bmm(q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2)), "addmm_gelu": lambda: torch._addmm_activation(scale, m, n, use_gelu=True), "scaled_mm": lambda: torch._scaled_mm(a8, b8, one, one, out_dtype=torch.float16),
        "int_mm": lambda: torch._int_mm(i8, j8), "complex_mm": lambda: complexes @ complexes.t(),
        "conv": lambda: F.conv2d(image, filters, padding=1), "conv_nhwc": lambda: F.conv2d(imagel, filtersl, padding=1), "conv_1x1": lambda: F.conv2d(imagel, filtersl[:, :, :1, :1].contiguous(memory_format=torch.channels_last)),
        "conv_depth": lambda: F.conv2d(image, thin, padding=3, groups=128), "conv_transpose": lambda: F.conv_transpose2d(image, filters, stride=2), "max_pool": lambda: F.max_pool2d(image, 3, 2), "avg_pool": lambda: F.avg_pool2d(image, 2), "adaptive_pool": lambda: F.adaptive_avg_pool2d(image, 7),
        "interpolate": lambda: F.interpolate(image, scale_factor=2, mode="bilinear"), "grid_sample": lambda: F.grid_sample(image.float(), torch.rand(16, 56, 56, 2, generator=G).cuda() * 2 - 1, align_corners=False), "unfold": lambda: F.unfold(image, 3),
        "flash": lambda: F.scaled_dot_product_attention(q, k, v), "flash_causal": lambda: F.scaled_dot_product_attention(qb, kb, vb, is_causal=True), "attention_mask": lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.zeros(1024, 1024, dtype=torch.float16).cuda()),
        "attention_f32": lambda: F.scaled_dot_product_attention(q.float(), k.float(), v.float()),
        "fft": lambda: torch.fft.fft(complexes), "rfft2": lambda: torch.fft.rfft2(xf), "cholesky": lambda: torch.linalg.cholesky(positive), "solve": lambda: torch.linalg.solve(positive, xd), "qr": lambda: torch.linalg.qr(xd[:256, :256]), "inverse": lambda: torch.linalg.inv(r(256, 32, 32, dtype=f32)),
        "sparse": lambda: torch.sparse.mm((xf[:1024, :1024] * (xf[:1024, :1024] > 2)).to_sparse_csr(), xf[:1024, :256]), "cdist": lambda: torch.cdist(xf[:1024, :64], xf[1024:2048, :64]), "adam": lambda: torch._fused_adamw_([long], [long], [long.clone()], [long.abs()], [], [one], lr=1e-3, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False),
        "foreach": lambda: torch._foreach_add([xf, xf[:100], long], 1.0), "einsum": lambda: torch.einsum("bhqd,bhkd->bhqk", q[:1], k[:1]),
    }
    gru = torch.nn.GRU(256, 256).half().cuda()
    lines = r(64, 32, 256)
    ops["gru"] = lambda: gru(lines)

    def backward():
        y = image.detach().requires_grad_()
        w = filters.detach().requires_grad_()
        F.conv2d(y, w, padding=1).sum().backward()

    def attention_backward():
        a, b, c = (t.detach().requires_grad_() for t in (qb, kb, vb))
        F.scaled_dot_product_attention(a, b, c, is_causal=True).sum().backward()

    def norm_backward():
        y = x.detach().requires_grad_()
        F.layer_norm(y, (4096,), scale.detach().requires_grad_(), shift).sum().backward()

    return {**ops, "conv_backward": backward, "attention_backward": attention_backward, "norm_backward": norm_backward}


def main():
    ops = operations()
    torch.cuda.synchronize()
    only = os.environ.get("PERF_OPERATIONS", "").split()
    ops = {name: op for name, op in ops.items() if not only or name in only}
    if len(sys.argv) < 2:
        for name, op in ops.items():
            try:
                op()
                torch.cuda.synchronize()
            except Exception as e:  # noqa: BLE001: told
                print(f"{name}: {type(e).__name__}: {str(e)[:200]}", flush=True)
        return
    from torch.profiler import ProfilerActivity, profile
    with open(sys.argv[1], "w") as out:
        for name, op in ops.items():
            try:
                for _ in range(3):
                    op()
                torch.cuda.synchronize()
                with profile(activities=[ProfilerActivity.CUDA]) as p:
                    for _ in range(3):
                        op()
                    torch.cuda.synchronize()
            except Exception as e:  # noqa: BLE001: told
                print(f"{name}: {type(e).__name__}: {str(e)[:200]}", flush=True)
                continue
            trace = sys.argv[1] + ".trace"
            p.export_chrome_trace(trace)
            with open(trace) as f:
                events = sorted((e for e in json.load(f)["traceEvents"] if e.get("ph") == "X" and e.get("cat") == "kernel"), key=lambda e: float(e["ts"]))
            os.remove(trace)
            for e in events[-(len(events) // 3):] if events else []:
                args = e.get("args", {})
                out.write(json.dumps({"operation": name, "name": e["name"], "grid": args.get("grid"), "block": args.get("block"), "nanoseconds": round(float(e["dur"]) * 1000)}) + "\n")
    print(f"{len(ops)} operations, {time.time() - BEGAN:.0f} s", flush=True)


if __name__ == "__main__":
    main()
