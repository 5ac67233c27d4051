// four steps of heat in a tile with a halo of four
#define STEPS 4
__global__ void heat4(const float *__restrict__ in, float *__restrict__ out, int w, int h, float k) {
  __shared__ float t[2][24][40];
  int x0 = blockIdx.x * 32 - STEPS, y0 = blockIdx.y * 16 - STEPS;
  int id = threadIdx.y * 32 + threadIdx.x;
  for (int e = id; e < 24 * 40; e += 32 * 16) {
    int y = min(max(y0 + e / 40, 0), h - 1), x = min(max(x0 + e % 40, 0), w - 1);
    t[0][e / 40][e % 40] = in[y * w + x];
  }
  __syncthreads();
  int now = 0;
  for (int s = 1; s <= STEPS; s++) {
    for (int e = id; e < (24 - 2 * s) * (40 - 2 * s); e += 32 * 16) {
      int y = s + e / (40 - 2 * s), x = s + e % (40 - 2 * s);
      float c = t[now][y][x];
      t[now ^ 1][y][x] = c + k * (t[now][y - 1][x] + t[now][y + 1][x] + t[now][y][x - 1] + t[now][y][x + 1] - 4 * c);
    }
    now ^= 1;
    __syncthreads();
  }
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = t[now][threadIdx.y + STEPS][threadIdx.x + STEPS];
}

// 16 channels to 16 by windows of 3 x 3, an image tile with its halo in shared memory
__constant__ float taps[16 * 16 * 9];
__global__ __launch_bounds__(256) void conv16(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  __shared__ float tile[4][18][18];
  int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
  float acc[16];
  for (int o = 0; o < 16; o++) acc[o] = 0;
  for (int c0 = 0; c0 < 16; c0 += 4) {
    __syncthreads();
    for (int e = ty * 16 + tx; e < 4 * 18 * 18; e += 256) {
      int c = e / 324, r = e % 324 / 18, q = e % 18, y = y0 + r, x = x0 + q;
      tile[c][r][q] = x >= 0 && y >= 0 && x < w && y < h ? in[((c0 + c) * h + y) * w + x] : 0.f;
    }
    __syncthreads();
    for (int c = 0; c < 4; c++)
#pragma unroll
      for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++) {
          float v = tile[c][ty + dy][tx + dx];
#pragma unroll
          for (int o = 0; o < 16; o++) acc[o] += v * taps[((c0 + c) * 9 + dy * 3 + dx) * 16 + o];
        }
  }
  int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  for (int o = 0; o < 16; o++) out[(o * h + y) * w + x] = acc[o];
}

// an image turned by an angle, with Catmull and Rom's weights over 4 x 4
__device__ float4 weights(float t) {
  float a = t * t, b = a * t;
  return make_float4(0.5f * (-b + 2 * a - t), 0.5f * (3 * b - 5 * a + 2), 0.5f * (-3 * b + 4 * a + t), 0.5f * (b - a));
}
__global__ void turn(const float *__restrict__ in, float *__restrict__ out, int w, int h, float c, float s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = c * (x - w / 2) - s * (y - h / 2) + w / 2, v = s * (x - w / 2) + c * (y - h / 2) + h / 2;
  float fu = floorf(u), fv = floorf(v);
  int iu = (int)fu, iv = (int)fv;
  float4 wx = weights(u - fu), wy = weights(v - fv);
  float r = 0;
  if (iu >= 1 && iv >= 1 && iu < w - 2 && iv < h - 2) {
    const float *p = in + (iv - 1) * w + iu - 1;
    float row[4];
#pragma unroll
    for (int k = 0; k < 4; k++, p += w) row[k] = wx.x * p[0] + wx.y * p[1] + wx.z * p[2] + wx.w * p[3];
    r = wy.x * row[0] + wy.y * row[1] + wy.z * row[2] + wy.w * row[3];
  }
  out[y * w + x] = r;
}
