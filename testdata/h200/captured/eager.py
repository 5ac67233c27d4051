# PyTorch, eager: an encoder block by hand, and operations of a data pipeline.
import torch, torch.nn.functional as F
torch.manual_seed(0)
d = 'cuda'
B, S, D, H = 8, 512, 768, 12
x = torch.randn(B, S, D, device=d, dtype=torch.bfloat16)
wq, wk, wv, wo = (torch.randn(D, D, device=d, dtype=torch.bfloat16) * .02 for _ in range(4))
w1, w2 = torch.randn(D, 4 * D, device=d, dtype=torch.bfloat16) * .02, torch.randn(4 * D, D, device=d, dtype=torch.bfloat16) * .02
g = torch.ones(D, device=d, dtype=torch.bfloat16)
table = torch.randn(30000, D, device=d, dtype=torch.bfloat16)
ids = torch.randint(0, 30000, (B, S), device=d)
def block(x):
    h = F.layer_norm(x, (D,), g, g)
    q, k, v = ((h @ w).view(B, S, H, D // H).transpose(1, 2) for w in (wq, wk, wv))
    p = torch.softmax((q @ k.transpose(-1, -2)).float() * .125, -1).to(x.dtype)
    x = x + (p @ v).transpose(1, 2).reshape(B, S, D) @ wo
    return x + F.gelu(F.layer_norm(x, (D,), g, g) @ w1) @ w2
f = torch.randn(4096, 2048, device=d)
idx = torch.randperm(4096, device=d)
for _ in range(6):
    y = block(F.embedding(ids, table))
    loss = F.cross_entropy((y[:, :, :512]).reshape(-1, 512).float(), (ids % 512).view(-1))
    a = f[idx]; b = f.cumsum(1); c = f.sum(0); e = f.mean(1); m = f.max(1).values
    s = torch.sigmoid(f) * f + f.clamp(0); t = f.t().contiguous(); u = torch.where(f > 0, f, f * .1)
    o = torch.zeros(4096, 2048, device=d).index_add_(0, idx, f)
    n = (f * f).sum().sqrt(); r = f.roll(1, 0); k = torch.sort(f[:256], 1).values; z = torch.topk(f[:256], 8).values
torch.cuda.synchronize(); print('done', float(loss))
