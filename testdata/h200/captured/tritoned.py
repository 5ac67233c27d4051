# Triton: a normalisation, a product, a softmax, a gather with weights, a loss, a running maximum of columns.
import torch, triton, triton.language as tl
@triton.jit
def rmsnorm(x, w, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK); r = tl.program_id(0) * n; m = i < n
    a = tl.load(x + r + i, mask=m, other=0.); s = tl.rsqrt(tl.sum(a * a) / n + 1e-5)
    tl.store(y + r + i, a * s * tl.load(w + i, mask=m), mask=m)
@triton.jit
def matmul(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM); n = tl.program_id(1) * BN + tl.arange(0, BN); k = tl.arange(0, BK)
    s = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        s = tl.dot(tl.load(a + m[:, None] * K + (i + k)[None, :]), tl.load(b + (i + k)[:, None] * N + n[None, :]), s)
    tl.store(c + m[:, None] * N + n[None, :], s.to(tl.float16))
@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK); r = tl.program_id(0) * n
    a = tl.load(x + r + i, mask=i < n, other=-float('inf')); e = tl.exp(a - tl.max(a, 0))
    tl.store(y + r + i, e / tl.sum(e, 0), mask=i < n)
@triton.jit
def bag(ids, w, table, y, D, L, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK); b = tl.program_id(0); s = tl.zeros((BLOCK,), tl.float32)
    for l in range(L):
        s += tl.load(table + tl.load(ids + b * L + l) * D + i) * tl.load(w + b * L + l)
    tl.store(y + b * D + i, s)
@triton.jit
def nll(x, t, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0); i = tl.arange(0, BLOCK); a = tl.load(x + r * n + i, mask=i < n, other=-float('inf')); m = tl.max(a, 0)
    tl.store(o + r, tl.log(tl.sum(tl.exp(a - m), 0)) + m - tl.load(x + r * n + tl.load(t + r)))
@triton.jit
def colmax(x, y, rows, n, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK); m = tl.full((BLOCK,), -float('inf'), tl.float32)
    for r in range(rows): m = tl.maximum(m, tl.load(x + r * n + j))
    tl.store(y + j, m)
torch.manual_seed(0)
x = torch.randn(4096, 2000, device='cuda'); y = torch.empty_like(x); w = torch.randn(2000, device='cuda'); t = torch.randint(0, 2000, (4096,), device='cuda')
a = torch.randn(2048, 1024, device='cuda', dtype=torch.float16); b = torch.randn(1024, 2048, device='cuda', dtype=torch.float16); c = torch.empty(2048, 2048, device='cuda', dtype=torch.float16)
ids = torch.randint(0, 50000, (4096, 16), device='cuda', dtype=torch.int32); iw = torch.rand(4096, 16, device='cuda'); table = torch.randn(50000, 128, device='cuda'); o = torch.empty(4096, 128, device='cuda'); l = torch.empty(4096, device='cuda'); z = torch.randn(512, 4096, device='cuda')
for _ in range(8):
    rmsnorm[(4096,)](x, w, y, 2000, BLOCK=2048); softmax[(4096,)](x, y, 2000, BLOCK=2048); nll[(4096,)](x, t, l, 2000, BLOCK=2048)
    matmul[(16, 16)](a, b, c, 2048, 1024, BM=128, BN=128, BK=32, num_warps=8, num_stages=3)
    bag[(4096,)](ids, iw, table, o, 128, 16, BLOCK=128); colmax[(32,)](z, l, 512, 4096, BLOCK=128)
torch.cuda.synchronize(); print('done', float(y.sum()))
