"""Further Triton kernels with configurations, in the form of kernels.py: the half `further` for choosing, `unseen` for a report.

README.md says what is in which half.
"""
import torch
import triton
import triton.language as tl

from kernels import Kernel, cdiv, configs, empty, random


# ---- for choosing

@triton.jit
def flash(q, k, v, out, S, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """softmax(q k^T) v of each head in bfloat16, with heads of 128 numbers."""
    base = tl.program_id(1) * S * D
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    tile = tl.load(q + base + m[:, None] * D + d[None, :])
    best = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for at in range(0, S, BLOCK_N):
        keys = tl.load(k + base + (at + n)[:, None] * D + d[None, :])
        s = tl.dot(tile, tl.trans(keys)) * (scale * 1.4426950408889634)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 1)
        values = tl.load(v + base + (at + n)[:, None] * D + d[None, :])
        acc = tl.dot(p.to(tl.bfloat16), values, acc * fade[:, None])
        best = new
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.bfloat16))


@triton.jit
def ieee(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = max(a b, 0) in single precision by multiply-adds, of sizes that tiles need not divide."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :], mask=m[:, None] < M, other=0.0)
        y = tl.load(b + (at + k)[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + m[:, None] * N + n[None, :], tl.maximum(acc, 0.0), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def rms(x, weight, y, rows, cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Each row divided by the root of the mean of its squares: ROWS rows at once, where BLOCK is not less than a row."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (i[None, :] < cols)
    v = tl.load(x + r[:, None] * cols + i[None, :], mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 1) / cols + eps)
    w = tl.load(weight + i, mask=i < cols, other=0.0).to(tl.float32)
    tl.store(y + r[:, None] * cols + i[None, :], (v * scale[:, None] * w[None, :]).to(tl.bfloat16), mask=inside)


@triton.jit
def squares(x, y, n, BLOCK: tl.constexpr, TIMES: tl.constexpr):
    """The sum of the squares of halves: TIMES blocks by each program, which adds its part to the result."""
    i = tl.program_id(0) * BLOCK * TIMES + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in range(0, TIMES):
        v = tl.load(x + i + t * BLOCK, mask=i + t * BLOCK < n, other=0.0).to(tl.float32)
        acc += v * v
    tl.atomic_add(y, tl.sum(acc, 0))


@triton.jit
def means(x, y, M, N, part, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PROGRAMS: tl.constexpr):
    """The means of the columns of halves: PROGRAMS programs share the rows of some columns."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for at in range(tl.program_id(1) * BLOCK_M, M, BLOCK_M * PROGRAMS):
        m = at + tl.arange(0, BLOCK_M)
        acc += tl.sum(tl.load(x + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0.0).to(tl.float32), 0)
    tl.atomic_add(y + n, acc * part, mask=n < N)


@triton.jit
def tiles(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b^T of halves, whose tiles tensor maps describe that each program makes."""
    pa = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    pb = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    pc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    tiles_m = tl.cdiv(M, BLOCK_M)
    m = tl.program_id(0) % tiles_m * BLOCK_M
    n = tl.program_id(0) // tiles_m * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        acc = tl.dot(pa.load([m, at]), pb.load([n, at]).T, acc)
    pc.store([m, n], acc.to(tl.float16))


# ---- for a report

@triton.jit
def backward(dy, x, weight, dx, dweight, rows, cols, eps, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    """The gradients of a normalisation of rows: PROGRAMS programs share the rows, and each adds to the gradient of the weights once."""
    i = tl.arange(0, BLOCK)
    inside = i < cols
    w = tl.load(weight + i, mask=inside, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(tl.program_id(0), rows, PROGRAMS):
        v = tl.load(x + row * cols + i, mask=inside, other=0.0).to(tl.float32)
        g = tl.load(dy + row * cols + i, mask=inside, other=0.0).to(tl.float32)
        mean = tl.sum(v, 0) / cols
        d = tl.where(inside, v - mean, 0.0)
        scale = tl.rsqrt(tl.sum(d * d, 0) / cols + eps)
        h = d * scale
        wg = w * g
        dw += g * h
        c1 = tl.sum(h * wg, 0) / cols
        c2 = tl.sum(wg, 0) / cols
        tl.store(dx + row * cols + i, ((wg - (h * c1 + c2)) * scale).to(tl.float16), mask=inside)
    tl.atomic_add(dweight + i, dw, mask=inside)


@triton.jit
def linear(x, w, bias, y, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """y = gelu(x w^T + bias) in bfloat16; both operands have their sums along rows."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP * tiles_n) * GROUP
    rows = min(tiles_m - first, GROUP)
    inside = pid % (GROUP * tiles_n)
    m = (first + inside % rows) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = inside // rows * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    px = x + (m % M)[:, None] * K + k[None, :]
    pw = w + (n % N)[None, :] * K + k[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(px, mask=at + k[None, :] < K, other=0.0), tl.load(pw, mask=at + k[:, None] < K, other=0.0), acc)
        px += BLOCK_K
        pw += BLOCK_K
    acc += tl.load(bias + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    acc = acc * 0.5 * (1.0 + tl.erf(acc * 0.7071067811865476))
    tl.store(y + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def split(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT: tl.constexpr):
    """c += a b of halves, where SPLIT programs share the sums of a tile."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    m = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K * SPLIT)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BLOCK_K * SPLIT
        pb += BLOCK_K * SPLIT * N
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def persistent(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b of halves, where each of PROGRAMS programs makes one tile after the other."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    total = tiles_m * tl.cdiv(N, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    for tile in range(tl.program_id(0), total, PROGRAMS):
        m = tile % tiles_m * BLOCK_M + tl.arange(0, BLOCK_M)
        n = tile // tiles_m * BLOCK_N + tl.arange(0, BLOCK_N)
        pa = a + m[:, None] * K + k[None, :]
        pb = b + k[:, None] * N + n[None, :]
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for at in range(0, K, BLOCK_K):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
            pa += BLOCK_K
            pb += BLOCK_K * N
        tl.store(c + m[:, None] * N + n[None, :], acc.to(tl.float16))


@triton.jit
def bytes8(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b^T of integers of 8 bits, with sums of 32 bits that are scaled to halves."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + n[None, :] * K + k[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for at in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, out_dtype=tl.int32)
        pa += BLOCK_K
        pb += BLOCK_K
    tl.store(c + m[:, None] * N + n[None, :], (acc.to(tl.float32) * 0.001).to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def sums(x, y, cols, BLOCK: tl.constexpr):
    """The running sums of each row, BLOCK numbers after BLOCK numbers."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    before = tl.zeros((1,), dtype=tl.float32)
    for at in range(0, cols, BLOCK):
        v = tl.load(x + row * cols + at + i, mask=at + i < cols, other=0.0)
        tl.store(y + row * cols + at + i, tl.cumsum(v, 0) + before, mask=at + i < cols)
        before += tl.sum(v, 0)


@triton.jit
def rotary(x, cosine, sine, y, S, heads, D: tl.constexpr, ROWS: tl.constexpr, HEADS: tl.constexpr):
    """Pairs of numbers of each head turned by an angle of the position: halves of a head are a pair's members."""
    s = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    h = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    d = tl.arange(0, D // 2)
    c = tl.load(cosine + s[:, None] * (D // 2) + d[None, :]).to(tl.float32)[:, None, :]
    n = tl.load(sine + s[:, None] * (D // 2) + d[None, :]).to(tl.float32)[:, None, :]
    at = s[:, None, None] * (heads * D) + h[None, :, None] * D + d[None, None, :]
    u = tl.load(x + at).to(tl.float32)
    v = tl.load(x + at + D // 2).to(tl.float32)
    tl.store(y + at, (u * c - v * n).to(tl.float16))
    tl.store(y + at + D // 2, (v * c + u * n).to(tl.float16))


@triton.jit
def convolution(x, w, y, B, H, W, C, F, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A convolution of 3 x 3 of halves, channels last, as a product whose rows are pixels."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    image = m // (H * W)
    row = m // W % H
    col = m % W
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for tap in range(0, 9):
        r = row + tap // 3 - 1
        c = col + tap % 3 - 1
        there = (r >= 0) & (r < H) & (c >= 0) & (c < W) & (image < B)
        at = ((image * H + r) * W + c) * C
        for channel in range(0, C, BLOCK_K):
            u = tl.load(x + at[:, None] + (channel + k)[None, :], mask=there[:, None], other=0.0)
            v = tl.load(w + (tap * C + channel + k)[:, None] * F + n[None, :])
            acc = tl.dot(u, v, acc)
    tl.store(y + m[:, None] * F + n[None, :], acc.to(tl.float16), mask=image[:, None] < B)


@triton.jit
def causal(q, k, v, out, S, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Attention where each place looks at those before it alone: whole tiles first, then the tiles on the diagonal."""
    base = tl.program_id(1) * S * D
    first = tl.program_id(0) * BLOCK_M
    m = first + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    tile = tl.load(q + base + m[:, None] * D + d[None, :])
    best = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for at in range(0, first, BLOCK_N):
        s = tl.dot(tile, tl.trans(tl.load(k + base + (at + n)[:, None] * D + d[None, :]))) * (scale * 1.4426950408889634)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + (at + n)[:, None] * D + d[None, :]), acc * fade[:, None])
        best = new
    for at in range(first, first + BLOCK_M, BLOCK_N):
        s = tl.dot(tile, tl.trans(tl.load(k + base + (at + n)[:, None] * D + d[None, :]))) * (scale * 1.4426950408889634)
        s = tl.where(m[:, None] >= (at + n)[None, :], s, -1e30)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(v + base + (at + n)[:, None] * D + d[None, :]), acc * fade[:, None])
        best = new
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def top(x, y, rows, cols, TOP: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """The greatest TOP numbers of each row, one after the other, which are taken out of the row."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * cols + i[None, :], mask=(r[:, None] < rows) & (i[None, :] < cols), other=-1e30)
    for t in range(0, TOP):
        most = tl.max(v, 1)
        tl.store(y + r * TOP + t, most, mask=r < rows)
        v = tl.where(v == most[:, None], -1e30, v)


@triton.jit
def scatter(x, index, y, count, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows added to those of a table by an index, as the gradient of an embedding is made."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + r, mask=r < count, other=0)
    inside = (r[:, None] < count) & (i[None, :] < width)
    v = tl.load(x + r[:, None] * width + i[None, :], mask=inside, other=0.0)
    tl.atomic_add(y + at[:, None] * width + i[None, :], v, mask=inside)


@triton.jit
def quantize(x, y, scales, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Blocks of halves as integers of 8 bits, scaled by the greatest of each block: ROWS blocks by each program."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + r[:, None] * BLOCK + i[None, :]).to(tl.float32)
    most = tl.maximum(tl.max(tl.abs(v), 1), 1e-8)
    tl.store(scales + r, most / 127.0)
    tl.store(y + r[:, None] * BLOCK + i[None, :], (v * (127.0 / most[:, None])).to(tl.int8))


# Tensor maps that a program makes lie in memory of Triton's own.
triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))


def attention_of(heads, s, d, dtype):
    def args():
        return (random(heads, s, d, dtype=dtype), random(heads, s, d, seed=2, dtype=dtype), random(heads, s, d, seed=3, dtype=dtype),
                empty(heads, s, d, dtype=dtype), s, d ** -0.5)
    return args


def attend(a, causal=False):
    s = a[0].float() @ a[1].float().transpose(1, 2) * a[5]
    if causal:
        n = s.shape[1]
        s = s.masked_fill(torch.ones(n, n, device=s.device, dtype=torch.bool).triu(1), float("-inf"))
    return torch.softmax(s, 2) @ a[2].float()


def integers(*shape, seed=1):
    g = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randint(-8, 8, shape, device="cuda", generator=g, dtype=torch.int8)


def scatter_args():
    count, rows, width = 8192, 4096, 1024
    g = torch.Generator(device="cpu").manual_seed(7)
    index = torch.randint(0, rows, (count,), generator=g, dtype=torch.int32).to("cuda")
    return random(count, width, dtype=torch.float32), index, empty(rows, width, dtype=torch.float32), count, width


def backward_right(a):
    x = a[1].float().requires_grad_()
    w = a[2].float()
    torch.nn.functional.layer_norm(x, (a[6],), w, None, a[7]).backward(a[0].float())
    return x.grad


def rotary_right(a):
    x, c, s = a[0].float(), a[1].float()[:, None, :], a[2].float()[:, None, :]
    u, v = x.chunk(2, dim=2)
    return torch.cat([u * c - v * s, v * c + u * s], dim=2)


def convolution_right(a):
    x, w = a[0].float().permute(0, 3, 1, 2), a[1].float().permute(3, 2, 0, 1)
    return torch.nn.functional.conv2d(x, w, padding=1).permute(0, 2, 3, 1)


def quantize_right(a):
    v = a[0].float()
    return (v * (127 / v.abs().amax(1, keepdim=True).clamp(min=1e-8))).trunc()


KERNELS = [
    Kernel(flash, "further", attention_of(24, 2048, 128, torch.bfloat16),
           lambda c: (cdiv(2048, c["BLOCK_M"]), 24),
           configs("D BLOCK_M BLOCK_N", [
               (128, 128, 128, 8, 2), (128, 128, 128, 8, 3), (128, 128, 64, 8, 2), (128, 128, 64, 8, 3), (128, 128, 64, 4, 2), (128, 128, 64, 4, 3),
               (128, 128, 32, 4, 3), (128, 64, 128, 4, 2), (128, 64, 64, 4, 2), (128, 64, 64, 4, 3), (128, 64, 32, 4, 3), (128, 64, 32, 4, 1),
               (128, 32, 64, 4, 2), (128, 32, 32, 4, 3), (128, 16, 64, 4, 2), (128, 128, 128, 4, 2)]),
           attend, 3),
    Kernel(ieee, "further", lambda: (random(700, 512, dtype=torch.float32), random(512, 1500, dtype=torch.float32, seed=2), empty(700, 1500, dtype=torch.float32), 700, 1500, 512),
           lambda c: (cdiv(700, c["BLOCK_M"]), cdiv(1500, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (32, 32, 16, 2, 2), (32, 32, 32, 4, 2), (32, 32, 32, 4, 3), (32, 64, 16, 4, 2), (64, 32, 32, 4, 3), (64, 64, 16, 4, 2), (64, 64, 16, 8, 2),
               (64, 64, 32, 4, 3), (64, 64, 16, 4, 1), (64, 128, 16, 8, 2), (128, 64, 16, 8, 3), (16, 64, 32, 2, 2), (128, 128, 16, 8, 2), (16, 16, 64, 1, 2)]),
           lambda a: (a[0].double() @ a[1].double()).clamp(min=0), 2, tolerance=1e-3),
    Kernel(rms, "further", lambda: (random(6144, 5120, dtype=torch.bfloat16), random(5120, seed=2, dtype=torch.bfloat16), empty(6144, 5120, dtype=torch.bfloat16), 6144, 5120, 1e-5),
           lambda c: (cdiv(6144, c["ROWS"]),),
           configs("ROWS BLOCK", [
               (1, 8192, 1, 1), (1, 8192, 2, 1), (1, 8192, 4, 1), (1, 8192, 8, 1), (1, 8192, 16, 1), (1, 8192, 32, 1), (2, 8192, 4, 1), (2, 8192, 8, 1),
               (2, 8192, 16, 1), (4, 8192, 8, 1), (4, 8192, 16, 1), (4, 8192, 32, 1), (8, 8192, 32, 1), (1, 16384, 16, 1)]),
           lambda a: a[0].float() * torch.rsqrt(a[0].float().square().mean(1, keepdim=True) + a[5]) * a[1].float(), 2),
    Kernel(squares, "further", lambda: (random(3 << 24), empty(1, dtype=torch.float32), 3 << 24),
           lambda c: (cdiv(3 << 24, c["BLOCK"] * c["TIMES"]),),
           configs("BLOCK TIMES", [
               (256, 1, 1, 1), (256, 8, 2, 1), (512, 1, 4, 1), (512, 64, 4, 1), (1024, 1, 4, 1), (1024, 8, 4, 1), (1024, 32, 4, 1), (1024, 32, 8, 1),
               (2048, 1, 4, 1), (2048, 8, 4, 1), (2048, 64, 8, 1), (4096, 1, 8, 1), (4096, 16, 8, 1), (8192, 1, 8, 1), (8192, 4, 32, 1), (8192, 16, 16, 1)]),
           lambda a: a[0].double().square().sum().reshape(1), 1, cleared=True, tolerance=5e-2),
    Kernel(means, "further", lambda: (random(12288, 3072), empty(3072, dtype=torch.float32), 12288, 3072, 1 / 12288),
           lambda c: (cdiv(3072, c["BLOCK_N"]), c["PROGRAMS"]),
           configs("BLOCK_M BLOCK_N PROGRAMS", [
               (32, 32, 8, 4, 1), (32, 32, 64, 4, 1), (64, 64, 16, 4, 1), (64, 64, 96, 4, 1), (16, 128, 16, 4, 1), (16, 128, 64, 4, 1), (16, 256, 64, 4, 1),
               (8, 512, 64, 4, 1), (8, 512, 256, 4, 1), (4, 1024, 128, 4, 1), (1, 1024, 128, 4, 1), (128, 16, 8, 4, 1), (128, 64, 24, 8, 1), (32, 128, 96, 2, 1),
               (16, 64, 32, 1, 1)]),
           lambda a: a[0].double().mean(0), 1, cleared=True, tolerance=5e-2),
    Kernel(tiles, "further", lambda: (random(3072, 2048), random(2560, 2048, seed=2), empty(3072, 2560), 3072, 2560, 2048),
           lambda c: (cdiv(3072, c["BLOCK_M"]) * cdiv(2560, c["BLOCK_N"]),),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 64, 4, 4), (128, 128, 128, 8, 2),
               (128, 64, 64, 4, 4), (64, 128, 64, 4, 3), (64, 64, 64, 4, 4), (64, 64, 128, 4, 2), (128, 128, 64, 8, 1), (64, 256, 64, 8, 3)]),
           lambda a: a[0].float() @ a[1].float().t(), 2),
    Kernel(backward, "unseen", lambda: (random(8192, 3072), random(8192, 3072, seed=2), random(3072, seed=3), empty(8192, 3072), empty(3072, dtype=torch.float32), 8192, 3072, 1e-5),
           lambda c: (c["PROGRAMS"],),
           configs("PROGRAMS BLOCK", [
               (132, 4096, 4, 1), (132, 4096, 8, 1), (132, 4096, 16, 1), (132, 4096, 32, 1), (264, 4096, 4, 1), (264, 4096, 8, 1), (264, 4096, 16, 1),
               (528, 4096, 2, 1), (528, 4096, 4, 1), (528, 4096, 8, 1), (1056, 4096, 4, 1), (1056, 4096, 8, 1), (4096, 4096, 4, 1), (8192, 4096, 4, 1),
               (8192, 4096, 8, 1)]),
           backward_right, 3),
    Kernel(linear, "unseen", lambda: (random(3000, 1536, dtype=torch.bfloat16), random(2304, 1536, dtype=torch.bfloat16, seed=2), random(2304, dtype=torch.bfloat16, seed=3),
                                      empty(3000, 2304, dtype=torch.bfloat16), 3000, 2304, 1536),
           lambda c: (cdiv(3000, c["BLOCK_M"]) * cdiv(2304, c["BLOCK_N"]),),
           configs("BLOCK_M BLOCK_N BLOCK_K GROUP", [
               (128, 256, 64, 8, 8, 3), (128, 128, 64, 8, 8, 3), (128, 128, 64, 8, 4, 3), (128, 128, 64, 4, 8, 4), (128, 128, 32, 8, 4, 4), (256, 64, 64, 4, 8, 3),
               (64, 256, 64, 8, 8, 3), (128, 64, 64, 8, 4, 3), (64, 128, 64, 8, 4, 4), (64, 128, 32, 8, 4, 3), (64, 64, 64, 8, 4, 3), (64, 64, 128, 8, 4, 2),
               (64, 64, 32, 1, 4, 4), (32, 64, 64, 8, 4, 3), (64, 32, 32, 8, 2, 3), (32, 32, 128, 8, 2, 2), (128, 128, 64, 8, 8, 1), (128, 128, 128, 8, 8, 2)]),
           lambda a: torch.nn.functional.gelu(a[0].float() @ a[1].float().t() + a[2].float()), 3),
    Kernel(split, "unseen", lambda: (random(512, 8192), random(8192, 768, seed=2), empty(512, 768, dtype=torch.float32), 512, 768, 8192),
           lambda c: (cdiv(512, c["BLOCK_M"]) * cdiv(768, c["BLOCK_N"]), c["SPLIT"]),
           configs("BLOCK_M BLOCK_N BLOCK_K SPLIT", [
               (128, 128, 64, 1, 4, 3), (128, 128, 64, 4, 4, 3), (128, 128, 64, 8, 8, 3), (128, 128, 64, 16, 4, 3), (128, 64, 64, 2, 4, 4), (128, 64, 64, 8, 4, 3),
               (64, 128, 64, 4, 4, 4), (64, 128, 64, 16, 4, 3), (64, 64, 64, 1, 4, 4), (64, 64, 64, 4, 4, 3), (64, 64, 64, 16, 4, 3), (64, 64, 128, 8, 4, 2),
               (32, 64, 64, 2, 4, 3), (32, 32, 128, 4, 2, 3), (64, 32, 64, 8, 4, 3)]),
           lambda a: a[0].float() @ a[1].float(), 2, cleared=True),
    Kernel(persistent, "unseen", lambda: (random(2048, 1024), random(1024, 4096, seed=2), empty(2048, 4096), 2048, 4096, 1024),
           lambda c: (c["PROGRAMS"],),
           configs("PROGRAMS BLOCK_M BLOCK_N BLOCK_K", [
               (132, 128, 256, 64, 8, 3), (132, 128, 128, 64, 8, 3), (132, 128, 128, 64, 4, 4), (264, 128, 128, 64, 4, 3), (132, 64, 256, 64, 8, 3), (264, 64, 128, 64, 4, 3),
               (396, 64, 128, 64, 4, 3), (132, 64, 64, 64, 4, 4), (264, 64, 64, 64, 4, 4), (528, 64, 64, 64, 4, 3), (264, 128, 64, 64, 4, 3), (132, 128, 128, 32, 8, 4),
               (132, 128, 128, 128, 8, 2), (528, 32, 64, 64, 4, 3)]),
           lambda a: a[0].float() @ a[1].float(), 2),
    Kernel(bytes8, "unseen", lambda: (integers(2048, 2048), integers(3072, 2048, seed=2), empty(2048, 3072), 2048, 3072, 2048),
           lambda c: (cdiv(2048, c["BLOCK_M"]), cdiv(3072, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 256, 128, 8, 3), (128, 128, 128, 8, 3), (128, 128, 128, 4, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3), (64, 128, 128, 4, 3), (128, 64, 128, 4, 4),
               (64, 64, 128, 4, 3), (64, 64, 64, 4, 4), (32, 64, 128, 4, 3), (32, 32, 128, 2, 3), (64, 256, 64, 8, 3), (16, 128, 64, 4, 3)]),
           lambda a: a[0].float() @ a[1].float().t() * 0.001, 2),
    Kernel(sums, "unseen", lambda: (random(4096, 6000, dtype=torch.float32), empty(4096, 6000, dtype=torch.float32), 6000),
           lambda c: (4096,),
           configs("BLOCK", [
               (128, 1, 1), (256, 1, 1), (256, 2, 1), (256, 4, 1), (512, 1, 1), (512, 4, 1), (1024, 1, 1), (1024, 4, 1), (1024, 8, 1), (2048, 4, 1), (2048, 8, 1),
               (2048, 16, 1), (8192, 4, 1), (8192, 8, 1), (8192, 16, 1)]),
           lambda a: a[0].double().cumsum(1), 1),
    Kernel(rotary, "unseen", lambda: (random(8192, 32, 128), random(8192, 64, seed=2), random(8192, 64, seed=3), empty(8192, 32, 128), 8192, 32),
           lambda c: (cdiv(8192, c["ROWS"]), cdiv(32, c["HEADS"])),
           configs("D ROWS HEADS", [
               (128, 1, 32, 4, 1), (128, 1, 32, 2, 1), (128, 1, 32, 8, 1), (128, 1, 16, 4, 1), (128, 1, 8, 4, 1), (128, 1, 8, 1, 1), (128, 4, 8, 4, 1), (128, 4, 32, 4, 1),
               (128, 4, 32, 8, 1), (128, 16, 1, 4, 1), (128, 16, 4, 4, 1), (128, 64, 1, 4, 1), (128, 64, 2, 8, 1), (128, 2, 2, 1, 1)]),
           rotary_right, 3),
    Kernel(convolution, "unseen", lambda: (random(16, 28, 28, 256), random(3, 3, 256, 256, seed=2), empty(16, 28, 28, 256), 16, 28, 28, 256, 256),
           lambda c: (cdiv(16 * 28 * 28, c["BLOCK_M"]), cdiv(256, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 32, 4, 4), (128, 64, 64, 4, 3), (128, 64, 32, 4, 4), (64, 128, 64, 4, 3), (64, 128, 32, 4, 3), (64, 64, 64, 4, 4),
               (64, 64, 32, 4, 2), (32, 64, 64, 4, 3), (64, 256, 32, 8, 3), (128, 256, 64, 8, 3), (32, 128, 64, 4, 2)]),
           convolution_right, 2),
    Kernel(causal, "unseen", attention_of(32, 2048, 64, torch.float16),
           lambda c: (cdiv(2048, c["BLOCK_M"]), 32),
           configs("D BLOCK_M BLOCK_N", [
               (64, 128, 128, 8, 2), (64, 128, 64, 8, 3), (64, 128, 64, 4, 2), (64, 128, 64, 4, 3), (64, 128, 32, 4, 3), (64, 64, 64, 4, 2), (64, 64, 64, 4, 3), (64, 64, 32, 4, 3),
               (64, 64, 32, 4, 1), (64, 32, 32, 4, 2), (64, 128, 32, 8, 2), (64, 64, 64, 8, 2), (64, 256, 64, 8, 2)]),
           lambda a: attend(a, causal=True), 3),
    Kernel(top, "unseen", lambda: (random(8192, 2000, dtype=torch.float32), empty(8192, 8, dtype=torch.float32), 8192, 2000),
           lambda c: (cdiv(8192, c["ROWS"]),),
           configs("TOP ROWS BLOCK", [
               (8, 1, 2048, 1, 1), (8, 1, 2048, 2, 1), (8, 1, 2048, 4, 1), (8, 1, 2048, 8, 1), (8, 1, 2048, 16, 1), (8, 2, 2048, 2, 1), (8, 2, 2048, 4, 1), (8, 2, 2048, 8, 1),
               (8, 4, 2048, 4, 1), (8, 4, 2048, 8, 1), (8, 4, 2048, 16, 1), (8, 8, 2048, 8, 1), (8, 8, 2048, 16, 1), (8, 16, 2048, 16, 1)]),
           lambda a: torch.topk(a[0], 8, 1).values, 1),
    Kernel(scatter, "unseen", scatter_args,
           lambda c: (cdiv(8192, c["ROWS"]), cdiv(1024, c["BLOCK"])),
           configs("ROWS BLOCK", [
               (1, 1024, 1, 1), (1, 1024, 4, 1), (1, 1024, 8, 1), (1, 256, 1, 1), (1, 256, 4, 1), (1, 128, 1, 1), (4, 1024, 4, 1), (4, 256, 4, 1), (4, 256, 8, 1), (16, 128, 4, 1),
               (16, 64, 4, 1), (32, 32, 4, 1), (64, 16, 4, 1), (128, 8, 4, 1)]),
           lambda a: torch.zeros_like(a[2], dtype=torch.float64).index_add_(0, a[1].long(), a[0].double()), 2, cleared=True),
    Kernel(quantize, "unseen", lambda: (random(1 << 16, 512), empty(1 << 16, 512, dtype=torch.int8), empty(1 << 16, dtype=torch.float32)),
           lambda c: (cdiv(1 << 16, c["ROWS"]),),
           configs("ROWS BLOCK", [
               (1, 512, 1, 1), (1, 512, 2, 1), (1, 512, 4, 1), (2, 512, 1, 1), (2, 512, 4, 1), (4, 512, 1, 1), (4, 512, 4, 1), (8, 512, 4, 1), (8, 512, 8, 1),
               (16, 512, 4, 1), (16, 512, 8, 1), (32, 512, 8, 1), (64, 512, 16, 1)]),
           quantize_right, 1),
]
