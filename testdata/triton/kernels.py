"""Triton kernels with the configurations that a tuner would try of them, for tests of the emulator.

KERNELS has a Kernel each: the function, its arguments, its grid, its configurations, and what it should compute. README.md says which of them
the emulator was developed with.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, stride_am, stride_bk, stride_cm, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            GROUP: tl.constexpr):
    """c = a b on tensor cores, of halves with sums in single precision; GROUP rows of tiles go together through L2."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP * tiles_n) * GROUP
    rows = min(tiles_m - first, GROUP)
    inside = pid % (GROUP * tiles_n)
    tile_m = first + inside % rows
    tile_n = inside // rows
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    pa = a + m[:, None] * stride_am + k[None, :]
    pb = b + k[:, None] * stride_bk + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc)
        pa += BLOCK_K
        pb += BLOCK_K * stride_bk
    pc = c + m[:, None] * stride_cm + n[None, :]
    tl.store(pc, acc.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def batched(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Products of many small matrices of single precision, on tensor cores in TF32."""
    tile = tl.program_id(0)
    batch = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    m = tile // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    pa = a + batch * M * K + m[:, None] * K + k[None, :]
    pb = b + batch * K * N + k[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, K, BLOCK_K):
        x = tl.load(pa + at, mask=(m[:, None] < M) & (at + k[None, :] < K), other=0.0)
        y = tl.load(pb + at * N, mask=(at + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc, input_precision="tf32")
    tl.store(c + batch * M * N + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def plain(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b in single precision, by multiply-adds without tensor cores."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    pa = a + m[:, None] * K + k[None, :]
    pb = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, input_precision="ieee")
        pa += BLOCK_K
        pb += BLOCK_K * N
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def attention(q, k, v, out, S, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """softmax(q k^T) v of each head, in one pass over the keys."""
    head = tl.program_id(1)
    base = head * S * D
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    tile = tl.load(q + base + m[:, None] * D + d[None, :])
    pk = k + base + n[None, :] * D + d[:, None]
    pv = v + base + n[:, None] * D + d[None, :]
    best = tl.full((BLOCK_M,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for at in range(0, S, BLOCK_N):
        s = tl.dot(tile, tl.load(pk + at * D)) * (scale * 1.4426950408889634)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        fade = tl.exp2(best - new)
        total = total * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(pv + at * D), acc * fade[:, None])
        best = new
    tl.store(out + base + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def softmax(x, y, cols, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    """Softmax of each row: WHOLE keeps the row in registers, otherwise it is read three times."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    if WHOLE:
        v = tl.load(x + row * cols + i, mask=i < cols, other=-1e30)
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row * cols + i, e / tl.sum(e, 0), mask=i < cols)
    else:
        most = tl.full((BLOCK,), -1e30, dtype=tl.float32)
        for at in range(0, cols, BLOCK):
            most = tl.maximum(most, tl.load(x + row * cols + at + i, mask=at + i < cols, other=-1e30))
        top = tl.max(most, 0)
        total = tl.zeros((BLOCK,), dtype=tl.float32)
        for at in range(0, cols, BLOCK):
            total += tl.exp(tl.load(x + row * cols + at + i, mask=at + i < cols, other=-1e30) - top)
        part = 1.0 / tl.sum(total, 0)
        for at in range(0, cols, BLOCK):
            v = tl.load(x + row * cols + at + i, mask=at + i < cols, other=-1e30)
            tl.store(y + row * cols + at + i, tl.exp(v - top) * part, mask=at + i < cols)


@triton.jit
def norm(x, weight, bias, y, rows, cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Layer normalisation of ROWS rows at once."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (i[None, :] < cols)
    v = tl.load(x + r[:, None] * cols + i[None, :], mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(v, 1) / cols
    d = tl.where(inside, v - mean[:, None], 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(d * d, 1) / cols + eps)
    w = tl.load(weight + i, mask=i < cols, other=0.0).to(tl.float32)
    b = tl.load(bias + i, mask=i < cols, other=0.0).to(tl.float32)
    tl.store(y + r[:, None] * cols + i[None, :], (d * scale[:, None] * w[None, :] + b[None, :]).to(tl.float16), mask=inside)


@triton.jit
def transpose(x, y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """y is x with rows and columns exchanged."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    tile = tl.load(x + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N))
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(tile), mask=(n[:, None] < N) & (m[None, :] < M))


@triton.jit
def reduction(x, y, n, BLOCK: tl.constexpr, TIMES: tl.constexpr):
    """The sum of all elements: TIMES blocks by each program, which adds its part to the result."""
    start = tl.program_id(0) * BLOCK * TIMES
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in range(0, TIMES):
        at = start + t * BLOCK + i
        acc += tl.load(x + at, mask=at < n, other=0.0)
    tl.atomic_add(y, tl.sum(acc, 0))


@triton.jit
def columns(x, y, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, TIMES: tl.constexpr):
    """The sums of the columns: TIMES tiles by each program, which adds its part to the results."""
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    m = tl.program_id(0) * BLOCK_M * TIMES + tl.arange(0, BLOCK_M)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for t in range(0, TIMES):
        r = m + t * BLOCK_M
        acc += tl.load(x + r[:, None] * N + n[None, :], mask=(r[:, None] < M) & (n[None, :] < N), other=0.0)
    tl.atomic_add(y + n, tl.sum(acc, 0), mask=n < N)


@triton.jit
def gather(table, index, y, count, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of a table by an index, as an embedding reads them."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + r, mask=r < count, other=0)
    inside = (r[:, None] < count) & (i[None, :] < width)
    tl.store(y + r[:, None] * width + i[None, :], tl.load(table + at[:, None] * width + i[None, :], mask=inside), mask=inside)


@triton.jit
def swiglu(a, b, y, n, BLOCK: tl.constexpr):
    """y = a sigmoid(a) b, element by element."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    u = tl.load(a + i, mask=i < n, other=0.0).to(tl.float32)
    v = tl.load(b + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(y + i, (u * tl.sigmoid(u) * v).to(tl.float16), mask=i < n)


@triton.jit
def entropy(logits, labels, loss, cols, BLOCK: tl.constexpr):
    """The cross entropy of each row with its label, in one pass."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -1e30, dtype=tl.float32)
    part = tl.zeros((BLOCK,), dtype=tl.float32)
    for at in range(0, cols, BLOCK):
        v = tl.load(logits + row * cols + at + i, mask=at + i < cols, other=-1e30).to(tl.float32)
        new = tl.maximum(best, v)
        part = part * tl.exp(best - new) + tl.exp(v - new)
        best = new
    top = tl.max(best, 0)
    whole = tl.sum(part * tl.exp(best - top), 0)
    hit = tl.load(logits + row * cols + tl.load(labels + row)).to(tl.float32)
    tl.store(loss + row, tl.log(whole) + top - hit)


class Kernel:
    """A kernel with its arguments and configurations.

    args() makes the positional arguments; grid(config) is the ND-range in programs; right(args) is what `result`, the number of an argument,
    should hold (None where that differs between configurations), and cleared tells that this argument must be zero before a launch.
    """

    def __init__(self, fn, half, args, grid, configs, right, result, cleared=False, tolerance=2e-2):
        self.fn, self.half, self.args, self.grid, self.configs = fn, half, args, grid, configs
        self.right, self.result, self.cleared, self.tolerance = right, result, cleared, tolerance
        self.name = fn.__name__


def random(*shape, dtype=torch.float16, seed=1):
    g = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(*shape, device="cuda", dtype=torch.float32, generator=g).to(dtype)


def empty(*shape, dtype=torch.float16):
    return torch.zeros(*shape, device="cuda", dtype=dtype)


def configs(names, rows):
    """Configurations from rows of values; the last two are num_warps and num_stages."""
    names = names.split() + ["num_warps", "num_stages"]
    return [dict(zip(names, row, strict=True)) for row in rows]


def cdiv(a, b):
    return (a + b - 1) // b


def product_args():
    m, n, k = 4096, 2048, 2048
    return random(m, k), random(k, n, seed=2), empty(m, n), m, n, k, k, n, n


def batched_args():
    count, m, n, k = 48, 512, 512, 256
    return random(count, m, k, dtype=torch.float32), random(count, k, n, dtype=torch.float32, seed=2), empty(count, m, n, dtype=torch.float32), m, n, k


def plain_args():
    m, n, k = 1024, 1024, 1024
    return random(m, k, dtype=torch.float32), random(k, n, dtype=torch.float32, seed=2), empty(m, n, dtype=torch.float32), m, n, k


def attention_args():
    heads, s, d = 32, 2048, 64
    return random(heads, s, d), random(heads, s, d, seed=2), random(heads, s, d, seed=3), empty(heads, s, d), s, d ** -0.5


def index_args():
    rows, count, width = 20000, 4096, 4096
    g = torch.Generator(device="cpu").manual_seed(5)
    index = torch.randint(0, rows, (count,), generator=g, dtype=torch.int32).to("cuda")
    return random(rows, width), index, empty(count, width), count, width


def entropy_args():
    rows, cols = 2048, 32000
    g = torch.Generator(device="cpu").manual_seed(6)
    labels = torch.randint(0, cols, (rows,), generator=g, dtype=torch.int32).to("cuda")
    return random(rows, cols), labels, empty(rows, dtype=torch.float32), cols


KERNELS = [
    Kernel(product, "choose", product_args,
           lambda c: (cdiv(4096, c["BLOCK_M"]) * cdiv(2048, c["BLOCK_N"]),),
           configs("BLOCK_M BLOCK_N BLOCK_K GROUP", [
               (128, 256, 64, 8, 8, 3), (128, 256, 64, 8, 8, 4), (256, 128, 64, 8, 8, 3), (128, 128, 64, 8, 8, 3), (128, 128, 64, 8, 4, 3),
               (128, 128, 64, 8, 4, 4), (128, 128, 64, 1, 8, 3), (128, 128, 32, 8, 4, 4), (128, 128, 32, 8, 8, 2), (128, 128, 128, 8, 8, 2),
               (128, 128, 64, 8, 8, 1), (64, 256, 32, 8, 4, 4), (64, 256, 64, 8, 8, 3), (128, 64, 64, 8, 4, 4), (64, 128, 64, 8, 4, 3),
               (64, 64, 64, 8, 4, 4), (64, 64, 32, 8, 4, 2), (64, 64, 64, 8, 2, 3), (64, 32, 64, 8, 4, 4), (32, 64, 64, 8, 4, 4),
               (32, 32, 64, 8, 2, 3), (16, 64, 64, 8, 2, 3), (32, 128, 32, 8, 4, 3), (64, 128, 128, 8, 8, 2)]),
           lambda a: a[0].float() @ a[1].float(), 2),
    Kernel(batched, "choose", batched_args,
           lambda c: (cdiv(512, c["BLOCK_M"]) * cdiv(512, c["BLOCK_N"]), 48),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (128, 128, 32, 8, 3), (128, 128, 32, 4, 3), (128, 128, 32, 8, 2), (128, 64, 32, 4, 3), (64, 128, 32, 4, 4), (64, 64, 32, 4, 4),
               (64, 64, 32, 4, 2), (64, 64, 64, 4, 3), (64, 64, 16, 4, 4), (64, 32, 32, 4, 3), (32, 64, 32, 4, 3), (32, 32, 32, 2, 3),
               (32, 32, 64, 4, 2), (16, 64, 32, 2, 3), (128, 32, 32, 4, 3), (64, 64, 32, 4, 1)]),
           lambda a: a[0] @ a[1], 2, tolerance=3e-2),
    Kernel(softmax, "choose", lambda: (random(4096, 4096, dtype=torch.float32), empty(4096, 4096, dtype=torch.float32), 4096),
           lambda c: (4096,),
           configs("BLOCK WHOLE", [
               (4096, True, 1, 1), (4096, True, 2, 1), (4096, True, 4, 1), (4096, True, 8, 1), (4096, True, 16, 1), (4096, True, 32, 1),
               (128, False, 1, 1), (256, False, 1, 1), (256, False, 2, 1), (512, False, 1, 1), (512, False, 4, 1), (1024, False, 1, 1),
               (1024, False, 4, 1), (1024, False, 8, 1), (2048, False, 4, 1), (2048, False, 8, 1), (1024, False, 4, 3), (2048, False, 16, 1)]),
           lambda a: torch.softmax(a[0], 1), 1),
    Kernel(transpose, "choose", lambda: (random(4096, 4096, dtype=torch.float32), empty(4096, 4096, dtype=torch.float32), 4096, 4096),
           lambda c: (cdiv(4096, c["BLOCK_M"]), cdiv(4096, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N", [
               (16, 16, 1, 1), (16, 16, 4, 1), (32, 32, 1, 1), (32, 32, 4, 1), (32, 32, 8, 1), (64, 64, 4, 1), (64, 64, 8, 1), (64, 64, 16, 1),
               (128, 128, 8, 1), (128, 128, 16, 1), (128, 32, 4, 1), (32, 128, 4, 1), (128, 8, 4, 1), (8, 128, 4, 1), (256, 4, 4, 1), (4, 256, 4, 1),
               (1, 1024, 4, 1), (1024, 1, 4, 1)]),
           lambda a: a[0].t(), 1),
    Kernel(gather, "choose", index_args,
           lambda c: (cdiv(4096, c["ROWS"]), cdiv(4096, c["BLOCK"])),
           configs("ROWS BLOCK", [
               (1, 4096, 4, 1), (1, 4096, 8, 1), (1, 4096, 16, 1), (1, 1024, 4, 1), (1, 1024, 1, 1), (1, 256, 1, 1), (1, 128, 1, 1), (1, 128, 4, 1),
               (4, 1024, 4, 1), (4, 256, 4, 1), (16, 128, 4, 1), (16, 64, 4, 1), (16, 32, 4, 1), (64, 16, 4, 1), (128, 8, 4, 1), (32, 256, 8, 1)]),
           lambda a: a[0][a[1].long()], 2),
    Kernel(swiglu, "choose", lambda: (random(1 << 25), random(1 << 25, seed=2), empty(1 << 25), 1 << 25),
           lambda c: (cdiv(1 << 25, c["BLOCK"]),),
           configs("BLOCK", [
               (32, 1, 1), (64, 1, 1), (128, 1, 1), (128, 4, 1), (256, 1, 1), (256, 4, 1), (256, 8, 1), (512, 1, 1), (512, 4, 1), (1024, 1, 1),
               (1024, 4, 1), (1024, 8, 1), (1024, 32, 1), (2048, 4, 1), (2048, 8, 1), (4096, 8, 1), (8192, 8, 1), (16384, 16, 1)]),
           lambda a: torch.nn.functional.silu(a[0].float()) * a[1].float(), 2),
    Kernel(attention, "report", attention_args,
           lambda c: (cdiv(2048, c["BLOCK_M"]), 32),
           configs("D BLOCK_M BLOCK_N", [
               (64, 128, 128, 8, 3), (64, 128, 128, 8, 2), (64, 128, 128, 4, 2), (64, 128, 64, 8, 3), (64, 128, 64, 4, 3), (64, 128, 64, 4, 4),
               (64, 128, 64, 4, 2), (64, 128, 32, 4, 3), (64, 128, 32, 4, 4), (64, 64, 128, 4, 3), (64, 64, 64, 4, 3), (64, 64, 64, 4, 4),
               (64, 64, 64, 4, 2), (64, 64, 32, 4, 3), (64, 64, 32, 4, 1), (64, 64, 64, 8, 3), (64, 32, 64, 4, 3), (64, 32, 32, 2, 3),
               (64, 16, 64, 2, 3), (64, 256, 64, 8, 3)]),
           lambda a: torch.softmax(a[0].float() @ a[1].float().transpose(1, 2) * a[5], 2) @ a[2].float(), 3),
    Kernel(plain, "report", plain_args,
           lambda c: (cdiv(1024, c["BLOCK_M"]), cdiv(1024, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N BLOCK_K", [
               (32, 32, 16, 2, 2), (32, 32, 16, 4, 2), (32, 32, 32, 4, 3), (32, 64, 16, 4, 2), (32, 64, 32, 4, 3), (64, 32, 16, 4, 2), (64, 64, 16, 4, 2),
               (64, 64, 16, 4, 3), (64, 64, 16, 4, 1), (64, 64, 16, 8, 2), (64, 64, 32, 4, 2), (64, 64, 32, 8, 3), (64, 128, 16, 4, 2),
               (64, 128, 16, 8, 2), (128, 64, 16, 8, 3), (128, 128, 16, 8, 2), (128, 128, 16, 16, 2)]),
           lambda a: a[0].double() @ a[1].double(), 2, tolerance=1e-3),
    Kernel(norm, "report", lambda: (random(8192, 2048), random(2048, seed=2), random(2048, seed=3), empty(8192, 2048), 8192, 2048, 1e-5),
           lambda c: (cdiv(8192, c["ROWS"]),),
           configs("ROWS BLOCK", [
               (1, 2048, 1, 1), (1, 2048, 2, 1), (1, 2048, 4, 1), (1, 2048, 8, 1), (1, 2048, 16, 1), (1, 2048, 32, 1), (2, 2048, 2, 1), (2, 2048, 4, 1),
               (2, 2048, 8, 1), (4, 2048, 4, 1), (4, 2048, 8, 1), (4, 2048, 16, 1), (8, 2048, 8, 1), (8, 2048, 16, 1), (8, 2048, 32, 1), (1, 4096, 8, 1)]),
           lambda a: torch.nn.functional.layer_norm(a[0].float(), (2048,), a[1].float(), a[2].float(), 1e-5), 3),
    Kernel(reduction, "report", lambda: (random(1 << 25, dtype=torch.float32), empty(1, dtype=torch.float32), 1 << 25),
           lambda c: (cdiv(1 << 25, c["BLOCK"] * c["TIMES"]),),
           configs("BLOCK TIMES", [
               (128, 1, 4, 1), (256, 1, 1, 1), (256, 16, 4, 1), (512, 1, 4, 1), (1024, 1, 4, 1), (1024, 8, 4, 1), (1024, 64, 4, 1), (1024, 256, 4, 1),
               (2048, 1, 8, 1), (2048, 16, 8, 1), (4096, 1, 8, 1), (4096, 4, 8, 1), (4096, 32, 16, 1), (8192, 1, 16, 1), (8192, 8, 16, 1), (1024, 64, 4, 3)]),
           lambda a: a[0].double().sum().reshape(1), 1, cleared=True, tolerance=5e-2),
    Kernel(columns, "report", lambda: (random(16384, 2048, dtype=torch.float32), empty(2048, dtype=torch.float32), 16384, 2048),
           lambda c: (cdiv(16384, c["BLOCK_M"] * c["TIMES"]), cdiv(2048, c["BLOCK_N"])),
           configs("BLOCK_M BLOCK_N TIMES", [
               (32, 32, 1, 4, 1), (32, 32, 16, 4, 1), (64, 64, 1, 4, 1), (64, 64, 8, 4, 1), (64, 64, 64, 4, 1), (16, 128, 4, 4, 1), (16, 128, 32, 4, 1),
               (16, 128, 128, 4, 1), (8, 256, 64, 4, 1), (8, 256, 16, 8, 1), (128, 32, 4, 8, 1), (4, 512, 64, 4, 1), (1, 1024, 128, 8, 1),
               (128, 8, 16, 4, 1), (128, 128, 1, 8, 1), (32, 64, 32, 2, 1)]),
           lambda a: a[0].double().sum(0), 1, cleared=True, tolerance=5e-2),
    Kernel(entropy, "report", entropy_args, lambda c: (2048,),
           configs("BLOCK", [
               (256, 1, 1), (256, 4, 1), (512, 4, 1), (1024, 1, 1), (1024, 4, 1), (1024, 8, 1), (2048, 4, 1), (2048, 8, 1), (2048, 16, 1), (4096, 4, 1),
               (4096, 8, 1), (4096, 16, 1), (8192, 8, 1), (8192, 16, 1), (8192, 32, 1), (2048, 8, 3)]),
           lambda a: torch.nn.functional.cross_entropy(a[0].float(), a[1].long(), reduction="none"), 2),
]
