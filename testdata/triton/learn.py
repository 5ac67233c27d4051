"""Triton kernels that move data in many shapes, in the form of kernels.py: the half `learn`, for choosing.

Steps of optimizers, slices, filters, statistics of columns and of rows, permutations, pooling, tables: what is bound by memory, and by how it is asked for.
"""
import torch
import triton
import triton.language as tl

from kernels import Kernel, cdiv, configs, empty, random


@triton.jit
def momentum(p, g, v, n, rate, BLOCK: tl.constexpr):
    """A step down the gradient with momentum: parameters and momentum in single precision, in place, gradients in halves."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    m = tl.load(v + i, mask=inside) * 0.9 + tl.load(g + i, mask=inside).to(tl.float32)
    tl.store(v + i, m, mask=inside)
    tl.store(p + i, tl.load(p + i, mask=inside) - rate * m, mask=inside)


@triton.jit
def average(p, e, n, part, BLOCK: tl.constexpr, TIMES: tl.constexpr):
    """A running average of parameters, in place: TIMES blocks by each program."""
    for t in range(0, TIMES):
        i = (tl.program_id(0) * TIMES + t) * BLOCK + tl.arange(0, BLOCK)
        inside = i < n
        a = tl.load(e + i, mask=inside)
        tl.store(e + i, a + (tl.load(p + i, mask=inside).to(tl.float32) - a) * part, mask=inside)


@triton.jit
def parted(x, y, rows, cols, stride, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Some columns of a wider matrix, less their neighbours on the left, in a matrix of their own."""
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (i[None, :] < cols)
    at = x + r[:, None] * stride + i[None, :]
    tl.store(y + r[:, None] * cols + i[None, :], tl.load(at, mask=inside) - tl.load(at + stride // 2, mask=inside), mask=inside)


@triton.jit
def smooth(x, y, T, C, BLOCK_T: tl.constexpr, BLOCK_C: tl.constexpr):
    """A filter of five rows: each element from those above and below, in single precision."""
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_T, BLOCK_C), dtype=tl.float32)
    for k in tl.static_range(5):
        r = t + (k - 2)
        acc += tl.load(x + r[:, None] * C + c[None, :], mask=(r[:, None] >= 0) & (r[:, None] < T) & (c[None, :] < C), other=0.0)
    tl.store(y + t[:, None] * C + c[None, :], acc * 0.2, mask=(t[:, None] < T) & (c[None, :] < C))


@triton.jit
def ahead(x, y, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """A filter along memory: each element is the mean of TAPS that follow it."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(TAPS):
        acc += tl.load(x + i + k, mask=i + k < n, other=0.0).to(tl.float32)
    tl.store(y + i, (acc / TAPS).to(tl.float16), mask=i < n)


@triton.jit
def stats(x, total, square, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, TIMES: tl.constexpr):
    """Sums and sums of squares of the columns of halves: each program adds its part to both."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    a = tl.zeros((BLOCK_N,), dtype=tl.float32)
    b = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for t in range(0, TIMES):
        m = (tl.program_id(1) * TIMES + t) * BLOCK_M + tl.arange(0, BLOCK_M)
        v = tl.load(x + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0.0).to(tl.float32)
        a += tl.sum(v, 0)
        b += tl.sum(v * v, 0)
    tl.atomic_add(total + n, a, mask=n < N)
    tl.atomic_add(square + n, b, mask=n < N)


@triton.jit
def standard(x, y, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of single precision with mean 0 and deviation 1, ROWS at once; cols is not a power of two."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (i[None, :] < cols)
    v = tl.load(x + r[:, None] * cols + i[None, :], mask=inside, other=0.0)
    mean = tl.sum(v, 1) / cols
    scale = tl.rsqrt(tl.sum(v * v, 1) / cols - mean * mean + 1e-5)
    tl.store(y + r[:, None] * cols + i[None, :], (v - mean[:, None]) * scale[:, None], mask=inside)


@triton.jit
def joined(x, r, w, s, y, cols, BLOCK: tl.constexpr):
    """The sum of two rows of bfloat16, and that sum divided by its root mean square: both are stored."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < cols
    v = tl.load(x + row * cols + i, mask=inside, other=0.0).to(tl.float32) + tl.load(r + row * cols + i, mask=inside, other=0.0).to(tl.float32)
    tl.store(s + row * cols + i, v.to(tl.bfloat16), mask=inside)
    scale = tl.rsqrt(tl.sum(v * v, 0) / cols + 1e-6)
    tl.store(y + row * cols + i, (v * scale * tl.load(w + i, mask=inside, other=0.0).to(tl.float32)).to(tl.bfloat16), mask=inside)


@triton.jit
def heads(x, y, S, H, D: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr):
    """From positions by heads to heads by positions: rows of D halves stay whole."""
    s = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    h = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    d = tl.arange(0, D)
    v = tl.load(x + (s[:, None, None] * H + h[None, :, None]) * D + d[None, None, :])
    tl.store(y + (h[None, :, None] * S + s[:, None, None]) * D + d[None, None, :], v)


@triton.jit
def pool(x, y, rows, cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """The means of two by two elements of single precision."""
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (m[:, None] < rows) & (n[None, :] < cols)
    at = x + m[:, None] * (4 * cols) + n[None, :] * 2
    v = tl.load(at, mask=inside) + tl.load(at + 1, mask=inside) + tl.load(at + 2 * cols, mask=inside) + tl.load(at + 2 * cols + 1, mask=inside)
    tl.store(y + m[:, None] * cols + n[None, :], v * 0.25, mask=inside)


@triton.jit
def lookup(table, index, place, y, count, period, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of a table by an index, and to each the row of its place added."""
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (r[:, None] < count) & (i[None, :] < width)
    at = tl.load(index + r, mask=r < count, other=0)
    v = tl.load(table + at[:, None] * width + i[None, :], mask=inside) + tl.load(place + (r % period)[:, None] * width + i[None, :], mask=inside)
    tl.store(y + r[:, None] * width + i[None, :], v, mask=inside)


@triton.jit
def tally(keys, y, n, period, BLOCK: tl.constexpr, TIMES: tl.constexpr):
    """How often each of some thousand keys occurs, counted in global memory; the keys repeat."""
    for t in range(0, TIMES):
        i = (tl.program_id(0) * TIMES + t) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(y + tl.load(keys + i % period, mask=i < n, other=0), tl.full((BLOCK,), 1, tl.int32), mask=i < n, sem="relaxed")


@triton.jit
def planes(x, y, size, BLOCK: tl.constexpr):
    """Planes of halves, each with mean 0 and deviation 1: read twice, BLOCK elements after BLOCK elements."""
    base = tl.program_id(0) * size
    i = tl.arange(0, BLOCK)
    a = tl.zeros((BLOCK,), dtype=tl.float32)
    b = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(0, size, BLOCK):
        v = tl.load(x + base + at + i, mask=at + i < size, other=0.0).to(tl.float32)
        a += v
        b += v * v
    mean = tl.sum(a, 0) / size
    scale = tl.rsqrt(tl.sum(b, 0) / size - mean * mean + 1e-5)
    for at in range(0, size, BLOCK):
        v = tl.load(x + base + at + i, mask=at + i < size, other=0.0).to(tl.float32)
        tl.store(y + base + at + i, ((v - mean) * scale).to(tl.float16), mask=at + i < size)


@triton.jit
def turned(x, y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Each of many matrices of halves with rows and columns exchanged."""
    base = tl.program_id(2) * M * N
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    v = tl.load(x + base + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N))
    tl.store(y + base + n[:, None] * M + m[None, :], tl.trans(v), mask=(n[:, None] < N) & (m[None, :] < M))


def drawn(most, *shape, seed=5):
    g = torch.Generator(device="cpu").manual_seed(seed)
    return torch.randint(0, most, shape, generator=g, dtype=torch.int32).to("cuda")


def single(*shape, seed=1):
    return random(*shape, dtype=torch.float32, seed=seed)


def half16(*shape, seed=1):
    return random(*shape, dtype=torch.bfloat16, seed=seed)


def smoothed(a):
    rows = torch.nn.functional.pad(a[0], (0, 0, 2, 2))
    return sum(rows[k:k + len(a[0])] for k in range(5)) * 0.2


def summed(a):
    v = a[0].float() + a[1].float()
    return v * torch.rsqrt((v * v).mean(1, keepdim=True) + 1e-6) * a[2].float()


KERNELS = [
    Kernel(momentum, "learn", lambda: (single(12_000_000), random(12_000_000, seed=2), single(12_000_000, seed=3), 12_000_000, 1e-4),
           lambda c: (cdiv(12_000_000, c["BLOCK"]),),
           configs("BLOCK", [
               (128, 1, 1), (128, 4, 1), (256, 1, 1), (256, 2, 1), (256, 4, 1), (512, 2, 1), (512, 4, 1), (512, 8, 1), (1024, 2, 1), (1024, 4, 1), (1024, 8, 1),
               (2048, 8, 1), (4096, 8, 1), (4096, 16, 1), (8192, 8, 1), (2048, 32, 1)]),
           lambda a: a[0] - a[4] * (a[2] * 0.9 + a[1].float()), 0),
    Kernel(average, "learn", lambda: (half16(1 << 24), single(1 << 24, seed=2), 1 << 24, 1e-3),
           lambda c: (cdiv(1 << 24, c["BLOCK"] * c["TIMES"]),),
           configs("BLOCK TIMES", [
               (128, 1, 1, 1), (128, 8, 1, 1), (256, 4, 2, 1), (256, 64, 2, 1), (512, 1, 4, 1), (512, 16, 4, 1), (1024, 1, 4, 1), (1024, 4, 4, 1), (1024, 16, 4, 1),
               (1024, 64, 8, 1), (2048, 1, 8, 1), (2048, 8, 8, 1), (4096, 1, 8, 1), (4096, 4, 8, 3), (8192, 2, 16, 1)]),
           lambda a: a[1] + (a[0].float() - a[1]) * a[3], 1, tolerance=5e-2),
    Kernel(parted, "learn", lambda: (random(16384, 2560), empty(16384, 1000), 16384, 1000, 2560),
           lambda c: (cdiv(1000, c["BLOCK"]), cdiv(16384, c["ROWS"])),
           configs("ROWS BLOCK", [
               (1, 1024, 1, 1), (1, 1024, 4, 1), (2, 1024, 4, 1), (4, 1024, 8, 1), (1, 512, 2, 1), (4, 256, 4, 1), (8, 256, 4, 1), (16, 128, 4, 1), (16, 64, 4, 1),
               (32, 32, 4, 1), (64, 32, 8, 1), (64, 16, 4, 1), (128, 8, 4, 1), (32, 128, 8, 1), (1, 256, 1, 1)]),
           lambda a: a[0][:, :1000].float() - a[0][:, 1280:2280].float(), 1),
    Kernel(smooth, "learn", lambda: (single(6000, 2048), empty(6000, 2048, dtype=torch.float32), 6000, 2048),
           lambda c: (cdiv(2048, c["BLOCK_C"]), cdiv(6000, c["BLOCK_T"])),
           configs("BLOCK_T BLOCK_C", [
               (1, 2048, 4, 1), (1, 1024, 4, 1), (1, 256, 1, 1), (2, 512, 4, 1), (4, 256, 4, 1), (4, 1024, 8, 1), (8, 128, 4, 1), (8, 256, 8, 1), (16, 64, 4, 1), (16, 128, 4, 1),
               (32, 32, 4, 1), (32, 128, 8, 1), (64, 16, 4, 1), (64, 32, 4, 1), (128, 8, 4, 1), (64, 64, 8, 1)]),
           smoothed, 1),
    Kernel(ahead, "learn", lambda: (random(20_000_000), empty(20_000_000), 20_000_000),
           lambda c: (cdiv(20_000_000, c["BLOCK"]),),
           configs("TAPS BLOCK", [
               (6, 128, 1, 1), (6, 128, 4, 1), (6, 256, 1, 1), (6, 256, 4, 1), (6, 512, 1, 1), (6, 512, 4, 1), (6, 512, 8, 1), (6, 1024, 4, 1), (6, 1024, 8, 1), (6, 2048, 4, 1),
               (6, 2048, 16, 1), (6, 4096, 8, 1), (6, 4096, 16, 1), (6, 8192, 32, 1)]),
           lambda a: torch.nn.functional.pad(a[0].float(), (0, 5)).unfold(0, 6, 1).mean(1), 1),
    Kernel(stats, "learn", lambda: (random(24576, 1536), empty(1536, dtype=torch.float32), empty(1536, dtype=torch.float32), 24576, 1536),
           lambda c: (cdiv(1536, c["BLOCK_N"]), cdiv(24576, c["BLOCK_M"] * c["TIMES"])),
           configs("BLOCK_M BLOCK_N TIMES", [
               (32, 32, 4, 4, 1), (32, 32, 64, 4, 1), (64, 64, 2, 4, 1), (64, 64, 16, 4, 1), (64, 64, 96, 8, 1), (16, 128, 4, 4, 1), (16, 128, 48, 4, 1), (8, 256, 32, 4, 1), (8, 512, 16, 8, 1),
               (4, 512, 96, 4, 1), (2, 1024, 64, 4, 1), (1, 2048, 96, 8, 1), (128, 16, 8, 4, 1), (128, 64, 8, 8, 1), (128, 128, 2, 8, 1), (64, 32, 24, 2, 1)]),
           lambda a: a[0].double().sum(0), 1, cleared=True, tolerance=5e-2),
    Kernel(standard, "learn", lambda: (single(10000, 1200), empty(10000, 1200, dtype=torch.float32), 10000, 1200),
           lambda c: (cdiv(10000, c["ROWS"]),),
           configs("ROWS BLOCK", [
               (1, 2048, 1, 1), (1, 2048, 2, 1), (1, 2048, 4, 1), (1, 2048, 8, 1), (1, 2048, 16, 1), (2, 2048, 1, 1), (2, 2048, 4, 1), (2, 2048, 8, 1), (4, 2048, 4, 1), (4, 2048, 8, 1),
               (4, 2048, 16, 1), (8, 2048, 8, 1), (8, 2048, 16, 1), (16, 2048, 32, 1), (1, 4096, 4, 1)]),
           lambda a: (a[0] - a[0].mean(1, keepdim=True)) / a[0].std(1, keepdim=True, correction=0), 1),
    Kernel(joined, "learn", lambda: (half16(6144, 5120), half16(6144, 5120, seed=2), half16(5120, seed=3), empty(6144, 5120, dtype=torch.bfloat16), empty(6144, 5120, dtype=torch.bfloat16), 5120),
           lambda c: (6144,),
           configs("BLOCK", [
               (8192, 1, 1), (8192, 2, 1), (8192, 4, 1), (8192, 8, 1), (8192, 16, 1), (8192, 32, 1), (16384, 4, 1), (16384, 8, 1), (16384, 16, 1), (16384, 32, 1)]),
           summed, 4, tolerance=3e-2),
    Kernel(heads, "learn", lambda: (random(8192, 32, 64), empty(32, 8192, 64), 8192, 32),
           lambda c: (8192 // c["ROWS"], 32 // c["HEADS"]),
           configs("D ROWS HEADS", [
               (64, 1, 1, 1, 1), (64, 4, 1, 1, 1), (64, 32, 1, 4, 1), (64, 128, 1, 4, 1), (64, 1, 8, 1, 1), (64, 1, 32, 4, 1), (64, 4, 8, 4, 1), (64, 4, 32, 4, 1), (64, 16, 4, 4, 1),
               (64, 16, 16, 8, 1), (64, 64, 2, 4, 1), (64, 64, 8, 8, 1), (64, 8, 32, 8, 1), (64, 256, 1, 8, 1)]),
           lambda a: a[0].transpose(0, 1), 1),
    Kernel(pool, "learn", lambda: (single(8192, 4096), empty(4096, 2048, dtype=torch.float32), 4096, 2048),
           lambda c: (cdiv(2048, c["BLOCK_N"]), cdiv(4096, c["BLOCK_M"])),
           configs("BLOCK_M BLOCK_N", [
               (1, 2048, 4, 1), (1, 2048, 8, 1), (1, 512, 1, 1), (1, 512, 4, 1), (1, 128, 1, 1), (2, 256, 4, 1), (4, 128, 4, 1), (4, 512, 8, 1), (8, 64, 4, 1), (8, 256, 8, 1), (16, 32, 4, 1),
               (16, 64, 4, 1), (32, 16, 4, 1), (64, 8, 4, 1), (32, 64, 8, 1)]),
           lambda a: torch.nn.functional.avg_pool2d(a[0][None, None], 2)[0, 0], 1),
    Kernel(lookup, "learn", lambda: (random(40000, 1280), drawn(40000, 16384), random(2048, 1280, seed=3), empty(16384, 1280), 16384, 2048, 1280),
           lambda c: (cdiv(1280, c["BLOCK"]), cdiv(16384, c["ROWS"])),
           configs("ROWS BLOCK", [
               (1, 2048, 2, 1), (1, 2048, 4, 1), (1, 2048, 8, 1), (2, 2048, 8, 1), (1, 256, 1, 1), (1, 128, 1, 1), (4, 256, 2, 1), (4, 512, 4, 1), (8, 256, 4, 1), (16, 128, 4, 1), (16, 64, 4, 1),
               (32, 32, 4, 1), (64, 16, 4, 1), (128, 8, 4, 1), (64, 64, 8, 1)]),
           lambda a: a[0][a[1].long()].float() + a[2].repeat(8, 1).float(), 3),
    Kernel(tally, "learn", lambda: (drawn(5000, 1 << 18), empty(5000, dtype=torch.int32), 1 << 22, 1 << 18),
           lambda c: (cdiv(1 << 22, c["BLOCK"] * c["TIMES"]),),
           configs("BLOCK TIMES", [
               (128, 1, 1, 1), (128, 1, 4, 1), (128, 16, 4, 1), (256, 4, 1, 1), (256, 16, 8, 1), (512, 1, 4, 1), (512, 8, 4, 1), (1024, 1, 4, 1), (1024, 4, 8, 1), (1024, 16, 8, 1),
               (2048, 2, 8, 1), (4096, 1, 16, 1)]),
           lambda a: torch.bincount(a[0].long(), minlength=5000) * 16, 1, cleared=True),
    Kernel(planes, "learn", lambda: (random(8192, 3136), empty(8192, 3136), 3136),
           lambda c: (8192,),
           configs("BLOCK", [
               (128, 1, 1), (256, 1, 1), (256, 2, 1), (512, 1, 1), (512, 2, 1), (512, 4, 1), (1024, 2, 1), (1024, 4, 1), (1024, 8, 1), (2048, 4, 1), (2048, 8, 1), (4096, 4, 1), (4096, 8, 1),
               (4096, 16, 1), (1024, 4, 3)]),
           lambda a: (a[0].float() - a[0].float().mean(1, keepdim=True)) / a[0].float().std(1, keepdim=True, correction=0), 1),
    Kernel(turned, "learn", lambda: (random(64, 768, 640), empty(64, 640, 768), 768, 640),
           lambda c: (cdiv(640, c["BLOCK_N"]), cdiv(768, c["BLOCK_M"]), 64),
           configs("BLOCK_M BLOCK_N", [
               (16, 16, 1, 1), (32, 32, 1, 1), (32, 32, 4, 1), (64, 64, 4, 1), (64, 64, 8, 1), (128, 64, 4, 1), (64, 128, 8, 1), (128, 128, 8, 1), (256, 32, 8, 1), (32, 256, 8, 1), (16, 128, 4, 1),
               (128, 16, 4, 1), (8, 256, 4, 1), (256, 8, 4, 1), (4, 512, 4, 1), (512, 4, 4, 1), (64, 16, 2, 1)]),
           lambda a: a[0].transpose(1, 2), 1),
]
