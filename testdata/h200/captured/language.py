# PyTorch: a decoder that writes text with a cache of keys and values, and a step of its training.
import torch, torch.nn.functional as F
torch.manual_seed(2)
d = 'cuda'; L, D, H, V, T, B = 4, 1024, 16, 32000, 1024, 8
W = [dict(qkv=torch.randn(3 * D, D, device=d, dtype=torch.bfloat16) * .02, o=torch.randn(D, D, device=d, dtype=torch.bfloat16) * .02,
          g=torch.randn(8 * D // 3 // 64 * 64 * 2, D, device=d, dtype=torch.bfloat16) * .02, u=torch.randn(D, 8 * D // 3 // 64 * 64, device=d, dtype=torch.bfloat16) * .02) for _ in range(L)]
emb = torch.randn(V, D, device=d, dtype=torch.bfloat16) * .02
K = torch.randn(L, B, H, T, D // H, device=d, dtype=torch.bfloat16); Vc = torch.randn_like(K)
freq = 1 / 10000 ** (torch.arange(0, D // H, 2, device=d).float() / (D // H))
def norm(x): return (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)
def rope(x, at):
    a = torch.outer(at, freq); c, s = a.cos()[None, None], a.sin()[None, None]
    p, q = x.float()[..., ::2], x.float()[..., 1::2]
    return torch.stack((p * c - q * s, p * s + q * c), -1).flatten(-2).to(x.dtype)
tok = torch.randint(0, V, (B, 1), device=d)
with torch.no_grad():
    for step in range(3):
        x = F.embedding(tok, emb); at = torch.arange(T - 4 + step, T - 3 + step, device=d).float()
        for l, w in enumerate(W):
            q, k, v = (norm(x) @ w['qkv'].t()).view(B, 1, 3, H, D // H).permute(2, 0, 3, 1, 4)
            K[l, :, :, T - 4 + step:T - 3 + step] = rope(k, at); Vc[l, :, :, T - 4 + step:T - 3 + step] = v
            o = F.scaled_dot_product_attention(rope(q, at), K[l, :, :, :T - 3 + step], Vc[l, :, :, :T - 3 + step])
            x = x + o.transpose(1, 2).reshape(B, 1, D) @ w['o'].t()
            a, b = (norm(x) @ w['g'].t()).chunk(2, -1); x = x + (F.silu(a) * b) @ w['u'].t()
        logits = (norm(x) @ emb.t()).float()[:, -1] / .8
        top, i = logits.topk(50); p = F.softmax(top, -1); c = p.cumsum(-1); p = torch.where(c - p > .9, 0., p); tok = i.gather(1, torch.multinomial(p, 1))
ids = torch.randint(0, V, (4, 512), device=d)
par = [torch.nn.Parameter(t.clone()) for t in (emb, W[0]['qkv'], W[0]['o'])]
opt = torch.optim.AdamW(par, 1e-4, fused=False, foreach=True)
for _ in range(3):
    x = F.embedding(ids, par[0]); q, k, v = (norm(x) @ par[1].t()).view(4, 512, 3, H, D // H).permute(2, 0, 3, 1, 4)
    x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(4, 512, D) @ par[2].t()
    loss = F.cross_entropy((x @ par[0].t()).float().view(-1, V), ids.view(-1)); loss.backward()
    torch.nn.utils.clip_grad_norm_(par, 1.0); opt.step(); opt.zero_grad()
torch.cuda.synchronize(); print('done', float(loss))
