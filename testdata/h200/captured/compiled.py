# torch.compile: a gated block, a normalisation with a residual, a loss, a reduction of columns.
import torch, torch.nn.functional as F
torch.manual_seed(0)
d = 'cuda'
x = torch.randn(8192, 1024, device=d); r = torch.randn(8192, 1024, device=d); w = torch.randn(1024, 2048, device=d) * .02; v = torch.randn(1024, 1024, device=d) * .02
y = torch.randint(0, 1024, (8192,), device=d)
@torch.compile
def gated(x): a, b = (x @ w).chunk(2, 1); return F.silu(a) * b
@torch.compile
def normed(x, r): h = x + r; m = h.mean(1, keepdim=True); s = ((h - m) ** 2).mean(1, keepdim=True); return (h - m) * torch.rsqrt(s + 1e-5), h
@torch.compile
def loss(x): return F.cross_entropy(x, y)
@torch.compile
def columns(x): return (x * x).sum(0).sqrt(), x.amax(0)
@torch.compile
def rotated(x): a = x.view(8192, 16, 64); c, s = a[..., :32], a[..., 32:]; t = torch.arange(8192, device=d).view(-1, 1, 1) * 1e-3; return torch.cat([c * t.cos() - s * t.sin(), c * t.sin() + s * t.cos()], -1)
for _ in range(8): g = gated(x) @ v; n, h = normed(g, r); l = loss(n); c, m = columns(h); o = rotated(h)
torch.cuda.synchronize(); print('done', float(l), float(c[0]), float(o.sum()))
