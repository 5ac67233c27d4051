# PyTorch: training steps of a small convolutional network.
import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 256, 128), nn.ReLU(), nn.Dropout(.1), nn.Linear(128, 10)).cuda()
opt = torch.optim.Adam(net.parameters(), 1e-3)
x = torch.randn(128, 3, 64, 64, device='cuda'); y = torch.randint(0, 10, (128,), device='cuda')
for _ in range(6):
    opt.zero_grad(); l = nn.functional.cross_entropy(net(x), y); l.backward(); opt.step()
torch.cuda.synchronize(); print('done', float(l))
