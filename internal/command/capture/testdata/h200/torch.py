# An application of PyTorch and Triton: two instances of a Triton kernel, products of matrices by cuBLAS, a softmax, reductions.
import torch, triton, triton.language as tl
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)
n = 1 << 20
x = torch.rand(n, device='cuda'); y = torch.rand(n, device='cuda'); o = torch.empty_like(x)
add[(n // 1024,)](x, y, o, n, BLOCK=1024)
add[(n // 256,)](x, y, o, n - 5, BLOCK=256)
a = torch.rand(1024, 1024, device='cuda', dtype=torch.float16); b = torch.rand(1024, 1024, device='cuda', dtype=torch.float16)
c = a @ b
s = torch.softmax(c, 1).sum()
f = (x.reshape(1024, 1024) @ y.reshape(1024, 1024)).relu().sum()
torch.cuda.synchronize()
print('done', float(s), torch.allclose(o[:n-5], (x + y)[:n-5]))
