"""Triton kernels that were written last, in the form of kernels.py: the half `study` for choosing, `last` for a report.

README.md says what is in which half.
"""
import torch
import triton
import triton.language as tl

from kernels import Kernel, cdiv, configs, empty, random


# ---- for choosing

@triton.jit
def lower(q, k, v, out, S, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BACKWARDS: tl.constexpr):
    """Attention of bfloat16 to earlier places alone, in one loop; with BACKWARDS the programs with the longest loops come first."""
    base = tl.program_id(1) * S * D
    tile = tl.program_id(0)
    if BACKWARDS:
        tile = tl.num_programs(0) - 1 - tile
    m = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    query = tl.load(q + base + m[:, None] * D + d[None, :])
    best = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for at in range(0, (tile + 1) * BLOCK_M, BLOCK_N):
        keys = tl.load(k + base + (at + n)[:, None] * D + d[None, :])
        s = tl.dot(query, tl.trans(keys)) * (scale * 1.4426950408889634)
        s = tl.where(m[:, None] >= (at + n)[None, :], s, -1e30)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 1)
        values = tl.load(v + base + (at + n)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.bfloat16), values, acc * fade[:, None])
        best = new
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.bfloat16))


@triton.jit
def triangle(a, b, c, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b of halves, where a is lower triangular: each row of tiles has more to add than the one before."""
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, (tl.program_id(1) + 1) * BLOCK_M, BLOCK_K):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def deposit(x, index, y, count, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of halves added to sums in single precision by an index with few values."""
    r = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + r, mask=r < count, other=0)
    inside = (r[:, None] < count) & (i[None, :] < width)
    v = tl.load(x + r[:, None] * width + i[None, :], mask=inside, other=0.0).to(tl.float32)
    tl.atomic_add(y + at[:, None] * width + i[None, :], v, mask=inside)


@triton.jit
def turns(x, cos, sin, y, tokens, heads, D: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr):
    """Neighbouring numbers of bfloat16 turned as the parts of complex ones."""
    t = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    h = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    i = tl.arange(0, D // 2)
    inside = (t[:, None, None] < tokens) & (h[None, :, None] < heads)
    base = t[:, None, None] * heads * D + h[None, :, None] * D + 2 * i[None, None, :]
    u = tl.load(x + base, mask=inside, other=0.0).to(tl.float32)
    v = tl.load(x + base + 1, mask=inside, other=0.0).to(tl.float32)
    c = tl.load(cos + t[:, None] * (D // 2) + i[None, :], mask=t[:, None] < tokens, other=0.0)[:, None, :]
    s = tl.load(sin + t[:, None] * (D // 2) + i[None, :], mask=t[:, None] < tokens, other=0.0)[:, None, :]
    tl.store(y + base, (u * c - v * s).to(tl.bfloat16), mask=inside)
    tl.store(y + base + 1, (v * c + u * s).to(tl.bfloat16), mask=inside)


@triton.jit
def shares(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PARTS: tl.constexpr):
    """c += a b^T of bfloat16, where PARTS programs add a part of the sums in a row each."""
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    each = K // PARTS
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(tl.program_id(2) * each, (tl.program_id(2) + 1) * each, BLOCK_K):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(b + n[None, :] * K + (at + k)[:, None])
        acc = tl.dot(x, y, acc)
    where = c + m[:, None] * N + n[None, :]
    if PARTS == 1:
        tl.store(where, acc)
    else:
        tl.atomic_add(where, acc)


@triton.jit
def greatest(x, y, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """The greatest number so far in each row of halves: a scan of tiles."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, BLOCK)
    before = tl.full((ROWS,), -60000.0, dtype=tl.float32)
    for at in range(0, cols, BLOCK):
        v = tl.load(x + r[:, None] * cols + (at + i)[None, :], mask=(at + i)[None, :] < cols, other=-60000.0).to(tl.float32)
        v = tl.maximum(tl.associative_scan(v, 1, larger), before[:, None])
        tl.store(y + r[:, None] * cols + (at + i)[None, :], v.to(tl.float16), mask=(at + i)[None, :] < cols)
        before = tl.max(v, 1)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


# ---- for a report

@triton.jit
def window(q, k, v, out, S, scale, WIDTH: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Attention of each place to WIDTH earlier ones."""
    base = tl.program_id(1) * S * D
    first = tl.program_id(0) * BLOCK_M
    m = first + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    query = tl.load(q + base + m[:, None] * D + d[None, :])
    best = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for at in range(tl.maximum(first - WIDTH, 0), first + BLOCK_M, BLOCK_N):
        s = tl.dot(query, tl.trans(tl.load(k + base + (at + n)[:, None] * D + d[None, :]))) * (scale * 1.4426950408889634)
        apart = m[:, None] - (at + n)[None, :]
        s = tl.where((apart >= 0) & (apart < WIDTH), s, -1e30)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + (at + n)[:, None] * D + d[None, :]), acc * fade[:, None])
        best = new
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def small8(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b^T of floats of 8 bits."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(b + n[None, :] * K + (at + k)[:, None])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def weights8(a, w, scale, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a w of halves, with weights kept as integers of 8 bits and a scale for each column."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(w + (at + k)[:, None] * N + n[None, :]).to(tl.float16)
        acc = tl.dot(x, y, acc)
    acc *= tl.load(scale + n).to(tl.float32)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def adam(p, g, m, v, n, rate, BLOCK: tl.constexpr):
    """A step of Adam: three of four arrays are changed in place."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    d = tl.load(g + i, mask=inside, other=0.0).to(tl.float32)
    mm = tl.load(m + i, mask=inside, other=0.0) * 0.9 + d * 0.1
    vv = tl.load(v + i, mask=inside, other=0.0) * 0.999 + d * d * 0.001
    q = tl.load(p + i, mask=inside, other=0.0).to(tl.float32) - rate * mm / (tl.sqrt(vv) + 1e-8)
    tl.store(m + i, mm, mask=inside)
    tl.store(v + i, vv, mask=inside)
    tl.store(p + i, q.to(tl.bfloat16), mask=inside)


@triton.jit
def channels(x, weight, bias, y, places, count, each, eps, CHANNELS: tl.constexpr, BLOCK: tl.constexpr):
    """Normalisation of groups of channels of images, which lie beside each other at every place: two passes."""
    image, group = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, BLOCK)
    ch = group * CHANNELS + tl.arange(0, CHANNELS)
    first = tl.zeros((BLOCK, CHANNELS), dtype=tl.float32)
    second = tl.zeros((BLOCK, CHANNELS), dtype=tl.float32)
    for at in range(0, places, BLOCK):
        v = tl.load(x + image * places * count + (at + i)[:, None] * count + ch[None, :], mask=(at + i)[:, None] < places, other=0.0).to(tl.float32)
        first += v
        second += v * v
    mean = tl.sum(tl.sum(first, 1), 0) / each
    scale = tl.rsqrt(tl.sum(tl.sum(second, 1), 0) / each - mean * mean + eps)
    w = tl.load(weight + ch)[None, :] * scale
    b = tl.load(bias + ch)[None, :]
    for at in range(0, places, BLOCK):
        where = image * places * count + (at + i)[:, None] * count + ch[None, :]
        v = tl.load(x + where, mask=(at + i)[:, None] < places, other=0.0).to(tl.float32)
        tl.store(y + where, ((v - mean) * w + b).to(tl.float16), mask=(at + i)[:, None] < places)


@triton.jit
def taps(x, w, y, length, width, TAPS: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK: tl.constexpr):
    """Each channel filtered along the sequence with TAPS numbers of its own, then silu."""
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    base = x + tl.program_id(2) * length * width
    acc = tl.zeros((BLOCK_T, BLOCK), dtype=tl.float32)
    for j in tl.static_range(TAPS):
        u = t - (TAPS - 1) + j
        v = tl.load(base + u[:, None] * width + c[None, :], mask=(u[:, None] >= 0) & (c[None, :] < width), other=0.0).to(tl.float32)
        acc += v * tl.load(w + j * width + c, mask=c < width, other=0.0).to(tl.float32)[None, :]
    acc = acc * tl.sigmoid(acc)
    tl.store(y + tl.program_id(2) * length * width + t[:, None] * width + c[None, :], acc.to(tl.bfloat16), mask=c[None, :] < width)


@triton.jit
def bins(x, y, n, BINS: tl.constexpr, BLOCK: tl.constexpr, TIMES: tl.constexpr):
    """How many integers there are of each value: counted by each program, then added."""
    i = tl.program_id(0) * BLOCK * TIMES + tl.arange(0, BLOCK)
    acc = tl.zeros((BINS,), dtype=tl.int32)
    for t in range(0, TIMES):
        acc += tl.histogram(tl.load(x + i + t * BLOCK), BINS)
    tl.atomic_add(y + tl.arange(0, BINS), acc)


@triton.jit
def dropped(x, rest, weight, y, cols, keep, seed, BLOCK: tl.constexpr):
    """y = rms norm of (what random numbers keep of a row + the rest)."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < cols
    v = tl.load(x + row * cols + i, mask=inside, other=0.0).to(tl.float32)
    r = tl.rand(seed, row * cols + i)
    v = tl.where(r < keep, v / keep, 0.0) + tl.load(rest + row * cols + i, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 0) / cols + 1e-5)
    tl.store(y + row * cols + i, (v * scale * tl.load(weight + i, mask=inside, other=0.0).to(tl.float32)).to(tl.float16), mask=inside)


@triton.jit
def ordered(x, y, cols: tl.constexpr, ROWS: tl.constexpr):
    """The rows of a matrix, each sorted."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, cols)
    tl.store(y + r[:, None] * cols + i[None, :], tl.sort(tl.load(x + r[:, None] * cols + i[None, :]), 1))


@triton.jit
def decode(q, k, v, out, norm, S, scale, D: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    """Attention of one query for each head: PARTS programs share the keys, and leave their parts of the sums and the norms."""
    head, part = tl.program_id(0), tl.program_id(1)
    each = S // PARTS
    n = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    query = tl.load(q + head * D + d).to(tl.float32) * (scale * 1.4426950408889634)
    best = -1e30
    total = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for at in range(part * each, (part + 1) * each, BLOCK):
        keys = tl.load(k + head * S * D + (at + n)[:, None] * D + d[None, :]).to(tl.float32)
        s = tl.sum(keys * query[None, :], 1)
        new = tl.maximum(best, tl.max(s, 0))
        p = tl.exp2(s - new)
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 0)
        values = tl.load(v + head * S * D + (at + n)[:, None] * D + d[None, :]).to(tl.float32)
        acc = acc * fade + tl.sum(p[:, None] * values, 0)
        best = new
    tl.store(out + (head * PARTS + part) * D + d, acc / total)
    tl.store(norm + head * PARTS + part, best + tl.log2(total))


@triton.jit
def experts(x, w, owner, y, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows of halves by the matrix of their expert, which an index gives for every 128 rows."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = tl.program_id(0) // tiles_n, tl.program_id(0) % tiles_n
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    expert = tl.load(owner + pid_m * BLOCK_M // 128)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        a = tl.load(x + m[:, None] * K + (at + k)[None, :])
        b = tl.load(w + expert * N * K + (at + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(y + m[:, None] * N + n[None, :], acc.to(tl.float16))


def integers(low, high, *shape, seed=5, dtype=torch.int32):
    g = torch.Generator(device="cpu").manual_seed(seed)
    return torch.randint(low, high, shape, generator=g, dtype=dtype).to("cuda")


def attention_of(heads, s, d, dtype, *more):
    def args():
        return (random(heads, s, d, dtype=dtype), random(heads, s, d, seed=2, dtype=dtype), random(heads, s, d, seed=3, dtype=dtype),
                empty(heads, s, d, dtype=dtype), s, d ** -0.5, *more)
    return args


def attend(a, width=None):
    """Attention to earlier places, head by head, which needs less memory."""
    n = a[0].shape[1]
    i = torch.arange(n, device="cuda")
    apart = i[:, None] - i[None, :]
    mask = (apart < 0) | (apart >= (width or n))
    out = []
    for q, k, v in zip(a[0].float(), a[1].float(), a[2].float()):
        out.append(torch.softmax((q @ k.t() * a[5]).masked_fill(mask, float("-inf")), 1) @ v)
    return torch.stack(out)


def turned(a):
    x, c, s = a[0].float(), a[1].float()[:, None, :], a[2].float()[:, None, :]
    u, v = x[..., 0::2], x[..., 1::2]
    return torch.stack([u * c - v * s, v * c + u * s], dim=3).reshape(x.shape)


def dropped_right(a):
    """Of launches that keep all: random numbers are Triton's own."""
    v = a[0].float() + a[1].float()
    return v * torch.rsqrt(v.square().mean(1, keepdim=True) + 1e-5) * a[2].float()


def filtered(a):
    x = a[0].float()
    y = torch.nn.functional.conv1d(torch.nn.functional.pad(x.transpose(1, 2), (a[1].shape[0] - 1, 0)), a[1].float().t()[:, None, :].contiguous(), groups=x.shape[2])
    return torch.nn.functional.silu(y).transpose(1, 2)


def expert_right(a):
    x = a[0].float().reshape(a[2].numel(), 128, -1)
    return torch.stack([x[i] @ a[1][int(e)].float() for i, e in enumerate(a[2].cpu())]).reshape(a[3].shape)


def stepped(a):
    """Adam changes its arguments: the launch that is compared is the first."""
    d = a[1].float()
    m, v = a[2] * 0.9 + d * 0.1, a[3] * 0.999 + d * d * 0.001
    return a[0].float() - a[5] * m / (v.sqrt() + 1e-8)


KERNELS = [
    Kernel(lower, "study", attention_of(24, 3072, 128, torch.bfloat16),
           lambda c: (cdiv(3072, c["BLOCK_M"]), 24),
           configs("D BLOCK_M BLOCK_N BACKWARDS", [
               (128, 128, 128, False, 8, 2), (128, 128, 128, True, 8, 2), (128, 128, 64, False, 8, 2), (128, 128, 64, True, 8, 3), (128, 128, 64, False, 4, 2),
               (128, 128, 32, False, 4, 3), (128, 64, 64, False, 4, 2), (128, 64, 64, True, 4, 2), (128, 64, 64, False, 4, 3), (128, 64, 32, False, 4, 3), (128, 64, 32, True, 4, 3),
               (128, 32, 32, False, 4, 2), (128, 32, 32, True, 4, 2), (128, 64, 32, False, 4, 1)]),
           attend, 3),
    Kernel(triangle, "study", lambda: (random(2048, 2048).tril(), random(2048, 3072, seed=2), empty(2048, 3072), 3072, 2048),
           lambda c: (cdiv(3072, c["BLOCK_N"]), cdiv(2048, c["BLOCK_M"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 256, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 32, 4, 4), (64, 128, 64, 4, 3), (128, 64, 64, 4, 3), (64, 64, 64, 4, 3),
               (64, 64, 32, 4, 2), (64, 256, 64, 8, 3), (32, 128, 32, 4, 3), (32, 64, 64, 4, 2), (256, 128, 64, 8, 3), (128, 128, 64, 8, 1)]),
           lambda a: a[0].float() @ a[1].float(), 2),
    Kernel(deposit, "study", lambda: (random(16384, 768), integers(0, 1000, 16384), empty(1000, 768, dtype=torch.float32), 16384, 768),
           lambda c: (cdiv(768, c["BLOCK"]), cdiv(16384, c["ROWS"])),
           configs("ROWS BLOCK", [
               (1, 1024, 1, 1), (1, 1024, 4, 1), (1, 1024, 8, 1), (2, 1024, 8, 1), (1, 256, 2, 1), (4, 256, 4, 1), (1, 128, 1, 1), (8, 128, 4, 1), (16, 64, 4, 1),
               (32, 32, 4, 1), (64, 16, 4, 1), (128, 8, 4, 1), (8, 256, 8, 1), (64, 32, 8, 1)]),
           lambda a: torch.zeros_like(a[2], dtype=torch.float64).index_add_(0, a[1].long(), a[0].double()), 2, cleared=True),
    Kernel(turns, "study", lambda: (random(6144, 24, 128, dtype=torch.bfloat16), random(6144, 64, seed=2, dtype=torch.float32), random(6144, 64, seed=3, dtype=torch.float32),
                                    empty(6144, 24, 128, dtype=torch.bfloat16), 6144, 24),
           lambda c: (cdiv(6144, c["ROWS"]), cdiv(24, c["HEADS"])),
           configs("D ROWS HEADS", [
               (128, 1, 32, 4, 1), (128, 1, 32, 8, 1), (128, 1, 8, 4, 1), (128, 1, 8, 1, 1), (128, 1, 4, 1, 1), (128, 2, 8, 4, 1), (128, 4, 8, 4, 1), (128, 4, 8, 8, 1),
               (128, 8, 1, 4, 1), (128, 8, 4, 8, 1), (128, 32, 1, 4, 1), (128, 64, 1, 8, 1), (128, 2, 2, 1, 1)]),
           turned, 3),
    Kernel(shares, "study", lambda: (random(640, 6144, dtype=torch.bfloat16), random(512, 6144, dtype=torch.bfloat16, seed=2), empty(640, 512, dtype=torch.float32), 640, 512, 6144),
           lambda c: (cdiv(512, c["BLOCK_N"]), cdiv(640, c["BLOCK_M"]), c["PARTS"]),
           configs("BLOCK_M BLOCK_N BLOCK_K PARTS", [
               (128, 128, 64, 1, 4, 3), (128, 128, 64, 4, 8, 3), (128, 128, 64, 6, 4, 4), (128, 128, 64, 12, 8, 3), (128, 64, 64, 3, 4, 3), (128, 64, 64, 8, 4, 3), (64, 64, 64, 1, 4, 4),
               (64, 64, 64, 2, 4, 3), (64, 64, 64, 6, 4, 3), (64, 64, 64, 16, 4, 3), (64, 128, 64, 3, 4, 3), (64, 128, 128, 8, 4, 2), (64, 32, 64, 4, 4, 3), (32, 32, 128, 2, 2, 3)]),
           lambda a: a[0].float() @ a[1].float().t(), 2, cleared=True),
    Kernel(greatest, "study", lambda: (random(6144, 5000), empty(6144, 5000), 5000),
           lambda c: (cdiv(6144, c["ROWS"]),),
           configs("ROWS BLOCK", [
               (1, 128, 1, 1), (1, 256, 1, 1), (1, 512, 1, 1), (1, 512, 4, 1), (1, 1024, 2, 1), (1, 1024, 4, 1), (1, 2048, 4, 1), (1, 2048, 8, 1), (1, 8192, 8, 1),
               (2, 1024, 4, 1), (4, 256, 4, 1), (4, 512, 4, 1), (8, 128, 4, 1)]),
           lambda a: a[0].float().cummax(1).values, 1),
    Kernel(window, "last", attention_of(28, 4096, 64, torch.float16, 512),
           lambda c: (cdiv(4096, c["BLOCK_M"]), 28),
           configs("D BLOCK_M BLOCK_N", [
               (64, 128, 128, 8, 2), (64, 128, 64, 8, 3), (64, 128, 64, 4, 2), (64, 128, 64, 4, 3), (64, 128, 32, 4, 3), (64, 64, 64, 4, 2), (64, 64, 64, 4, 3),
               (64, 64, 32, 4, 3), (64, 64, 32, 4, 1), (64, 32, 32, 4, 2), (64, 64, 64, 4, 4), (64, 64, 64, 8, 2)]),
           lambda a: attend(a, 512), 3),
    Kernel(small8, "last", lambda: (random(2560, 2048).to(torch.float8_e4m3fn), random(3072, 2048, seed=2).to(torch.float8_e4m3fn), empty(2560, 3072), 2560, 3072, 2048),
           lambda c: (cdiv(2560, c["BLOCK_M"]), cdiv(3072, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 256, 128, 8, 3), (128, 128, 128, 8, 3), (128, 128, 128, 4, 3), (128, 128, 64, 4, 4), (64, 128, 128, 4, 3), (128, 64, 128, 4, 4), (64, 64, 128, 4, 3),
               (64, 64, 64, 4, 4), (64, 256, 64, 8, 3), (64, 256, 128, 4, 3), (128, 256, 64, 8, 4), (32, 64, 128, 4, 3)]),
           lambda a: a[0].float() @ a[1].float().t(), 2, tolerance=5e-2),
    Kernel(weights8, "last", lambda: (random(1024, 2048), integers(-100, 100, 2048, 4096, dtype=torch.int8), random(4096, seed=3).abs() * 0.01, empty(1024, 4096), 1024, 4096, 2048),
           lambda c: (cdiv(1024, c["BLOCK_M"]), cdiv(4096, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 32, 4, 4), (128, 256, 64, 8, 3), (64, 128, 64, 4, 3), (128, 64, 64, 4, 3), (64, 64, 64, 4, 3),
               (64, 64, 128, 4, 2), (64, 256, 64, 8, 3), (32, 128, 64, 4, 3), (64, 128, 32, 4, 2), (16, 128, 128, 4, 2)]),
           lambda a: a[0].float() @ a[1].float() * a[2].float(), 3),
    Kernel(adam, "last", lambda: (random(1 << 24, dtype=torch.bfloat16), random(1 << 24, seed=2, dtype=torch.bfloat16), random(1 << 24, seed=3, dtype=torch.float32) * 0.1,
                                  random(1 << 24, seed=4, dtype=torch.float32).square() + 0.01, 1 << 24, 1e-3),
           lambda c: (cdiv(1 << 24, c["BLOCK"]),),
           configs("BLOCK", [
               (64, 1, 1), (128, 1, 1), (128, 4, 1), (256, 1, 1), (256, 2, 1), (512, 1, 1), (512, 4, 1), (1024, 4, 1), (1024, 8, 1), (2048, 4, 1), (2048, 8, 1),
               (4096, 8, 1), (8192, 16, 1), (1024, 32, 1)]),
           stepped, 0, tolerance=1e-1),
    Kernel(channels, "last", lambda: (random(8, 4096, 512), random(512, seed=2, dtype=torch.float32), random(512, seed=3, dtype=torch.float32), empty(8, 4096, 512), 4096, 512, 4096 * 16, 1e-5),
           lambda c: (8, 512 // c["CHANNELS"]),
           configs("CHANNELS BLOCK", [
               (16, 32, 1, 1), (16, 64, 2, 1), (16, 64, 4, 1), (16, 128, 4, 1), (16, 256, 4, 1), (16, 256, 8, 1), (16, 512, 8, 1), (16, 512, 16, 1), (16, 1024, 16, 1),
               (16, 1024, 32, 1), (16, 128, 8, 1), (16, 2048, 32, 1)]),
           lambda a: torch.nn.functional.group_norm(a[0].float().transpose(1, 2), 32, a[1], a[2], 1e-5).transpose(1, 2), 3),
    Kernel(taps, "last", lambda: (random(4, 4096, 3072, dtype=torch.bfloat16), random(4, 3072, seed=2, dtype=torch.bfloat16), empty(4, 4096, 3072, dtype=torch.bfloat16), 4096, 3072),
           lambda c: (cdiv(3072, c["BLOCK"]), 4096 // c["BLOCK_T"], 4),
           configs("TAPS BLOCK_T BLOCK", [
               (4, 1, 1024, 4, 1), (4, 4, 256, 4, 1), (4, 4, 1024, 4, 1), (4, 8, 128, 4, 1), (4, 8, 256, 4, 1), (4, 8, 512, 8, 1), (4, 16, 64, 4, 1), (4, 16, 128, 4, 1),
               (4, 16, 256, 8, 1), (4, 32, 64, 4, 1), (4, 64, 32, 4, 1), (4, 64, 128, 8, 1), (4, 2, 1024, 8, 1)]),
           filtered, 2),
    Kernel(bins, "last", lambda: (integers(0, 256, 1 << 24), empty(256, dtype=torch.int32), 1 << 24),
           lambda c: ((1 << 24) // (c["BLOCK"] * c["TIMES"]),),
           configs("BINS BLOCK TIMES", [
               (256, 1024, 16, 4, 1), (256, 1024, 64, 4, 1), (256, 2048, 4, 4, 1), (256, 2048, 16, 4, 1), (256, 2048, 16, 8, 1), (256, 4096, 8, 8, 1), (256, 4096, 32, 8, 1),
               (256, 8192, 4, 8, 1), (256, 8192, 8, 16, 1), (256, 512, 64, 4, 1), (256, 16384, 4, 16, 1), (256, 1024, 256, 4, 1)]),
           lambda a: torch.bincount(a[0].long(), minlength=256), 1, cleared=True),
    Kernel(dropped, "last", lambda: (random(8192, 2560), random(8192, 2560, seed=2), random(2560, seed=3), empty(8192, 2560), 2560, 1.0, 17),
           lambda c: (8192,),
           configs("BLOCK", [
               (4096, 1, 1), (4096, 2, 1), (4096, 4, 1), (4096, 8, 1), (4096, 16, 1), (4096, 32, 1), (8192, 4, 1), (8192, 8, 1), (8192, 16, 1), (8192, 32, 1)]),
           dropped_right, 3),
    Kernel(ordered, "last", lambda: (random(16384, 512, dtype=torch.float32), empty(16384, 512, dtype=torch.float32)),
           lambda c: (16384 // c["ROWS"],),
           configs("cols ROWS", [
               (512, 1, 1, 1), (512, 1, 2, 1), (512, 1, 4, 1), (512, 1, 8, 1), (512, 2, 2, 1), (512, 2, 4, 1), (512, 4, 4, 1), (512, 4, 8, 1), (512, 8, 8, 1), (512, 8, 16, 1)]),
           lambda a: a[0].sort(1).values, 1),
    Kernel(decode, "last", lambda: (random(256, 128), random(256, 2048, 128, seed=2), random(256, 2048, 128, seed=3), empty(256, 32, 128, dtype=torch.float32), empty(256, 32, dtype=torch.float32), 2048, 128 ** -0.5),
           lambda c: (256, c["PARTS"]),
           configs("D PARTS BLOCK", [
               (128, 1, 32, 4, 1), (128, 1, 64, 4, 2), (128, 2, 32, 4, 1), (128, 2, 64, 4, 2), (128, 4, 32, 2, 2), (128, 4, 64, 4, 1), (128, 4, 64, 8, 3), (128, 8, 32, 4, 2),
               (128, 8, 128, 8, 1), (128, 16, 64, 4, 1), (128, 16, 16, 1, 1), (128, 32, 64, 4, 1), (128, 32, 32, 2, 1)]),
           None, 3),
    Kernel(experts, "last", lambda: (random(4096, 1024), random(16, 1024, 1536, seed=2), integers(0, 16, 32).sort().values.to(torch.int32), empty(4096, 1536), 1536, 1024),
           lambda c: (cdiv(4096, c["BLOCK_M"]) * cdiv(1536, c["BLOCK_N"]),),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 256, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 32, 4, 4), (128, 64, 64, 4, 3), (64, 128, 64, 4, 3), (64, 256, 64, 8, 3),
               (64, 64, 64, 4, 4), (64, 64, 32, 4, 2), (32, 128, 64, 4, 3), (32, 64, 64, 4, 3), (128, 128, 128, 8, 2)]),
           expert_right, 3),
]
