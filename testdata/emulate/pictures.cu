// Pipelines of images.

#define TILE 16
#define RADIUS 4

// Sobel's gradient with a tile in shared memory.
__global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height) {
  __shared__ unsigned char tile[TILE + 2][TILE + 2];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int dy = threadIdx.y; dy < TILE + 2; dy += TILE)
    for (int dx = threadIdx.x; dx < TILE + 2; dx += TILE) {
      int sx = min(max((int)(blockIdx.x * TILE) + dx - 1, 0), width - 1), sy = min(max((int)(blockIdx.y * TILE) + dy - 1, 0), height - 1);
      tile[dy][dx] = in[sy * width + sx];
    }
  __syncthreads();
  if (x >= width || y >= height) return;
#define AT(a, b) (int)tile[threadIdx.y + 1 + (b)][threadIdx.x + 1 + (a)]
  int gx = AT(1, -1) + 2 * AT(1, 0) + AT(1, 1) - AT(-1, -1) - 2 * AT(-1, 0) - AT(-1, 1);
  int gy = AT(-1, 1) + 2 * AT(0, 1) + AT(1, 1) - AT(-1, -1) - 2 * AT(0, -1) - AT(1, -1);
  out[y * width + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

// One half of a separable Gaussian: along rows, or down columns.
__constant__ float weights[2 * RADIUS + 1] = {.02f, .05f, .12f, .2f, .22f, .2f, .12f, .05f, .02f};
__global__ void rowwise(const float *__restrict__ in, float *__restrict__ out, int width, int height) {
  __shared__ float line[4][64 + 2 * RADIUS];
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  line[threadIdx.y][threadIdx.x + RADIUS] = in[y * width + x];
  if (threadIdx.x < RADIUS) {
    line[threadIdx.y][threadIdx.x] = x >= RADIUS ? in[y * width + x - RADIUS] : 0;
    line[threadIdx.y][threadIdx.x + 64 + RADIUS] = x + 64 < width ? in[y * width + x + 64] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * RADIUS; k++) sum += weights[k] * line[threadIdx.y][threadIdx.x + k];
  out[y * width + x] = sum;
}

__global__ void columnwise(const float *__restrict__ in, float *__restrict__ out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) {
    int row = y + k;
    if (row < 0) row = 0;
    if (row >= height) row = height - 1;
    sum += weights[k + RADIUS] * in[row * width + x];
  }
  out[y * width + x] = sum;
}

// Resizing by linear interpolation, four channels of a byte.
__global__ void resize(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int width, int height, int to, int down, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to || y >= down) return;
  float fx = x * scale, fy = y * scale;
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
  float wx = fx - x0, wy = fy - y0;
  uchar4 a = in[y0 * width + x0], b = in[y0 * width + x1], c = in[y1 * width + x0], d = in[y1 * width + x1];
#define MIX(f) (unsigned char)((a.f * (1 - wx) + b.f * wx) * (1 - wy) + (c.f * (1 - wx) + d.f * wx) * wy)
  out[y * to + x] = make_uchar4(MIX(x), MIX(y), MIX(z), MIX(w));
}

// From pixels to planes, every second one of the colours.
__global__ void planar(const uchar4 *__restrict__ in, unsigned char *luma, unsigned char *u, unsigned char *v, int width, int height) {
  int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int red = 0, green = 0, blue = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int at = (y + k / 2) * width + x + k % 2;
    uchar4 p = in[at];
    luma[at] = (66 * p.x + 129 * p.y + 25 * p.z + 128 >> 8) + 16;
    red += p.x, green += p.y, blue += p.z;
  }
  int at = y / 2 * (width / 2) + x / 2;
  u[at] = (-38 * red - 74 * green + 112 * blue + 512 >> 10) + 128;
  v[at] = (112 * red - 94 * green - 18 * blue + 512 >> 10) + 128;
}

// Sums along each row, a block for one: half of an integral image.
__global__ void integral(const unsigned char *__restrict__ in, int *__restrict__ out, int width) {
  __shared__ int sums[32];
  const unsigned char *from = in + (size_t)blockIdx.x * width;
  int *to = out + (size_t)blockIdx.x * width, carry = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int base = 0; base < width; base += blockDim.x) {
    int v = base + threadIdx.x < width ? from[base + threadIdx.x] : 0;
    for (int d = 1; d < 32; d *= 2) {
      int o = __shfl_up_sync(~0u, v, d);
      if (lane >= d) v += o;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
      int s = lane < blockDim.x / 32 ? sums[lane] : 0;
      for (int d = 1; d < 32; d *= 2) {
        int o = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += o;
      }
      sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += sums[warp - 1];
    if (base + threadIdx.x < width) to[base + threadIdx.x] = carry + v;
    carry += sums[blockDim.x / 32 - 1];
    __syncthreads();
  }
}

// The least of a neighbourhood of bits, 32 pixels in a word.
__global__ void erode(const unsigned *__restrict__ in, unsigned *__restrict__ out, int words, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 1 || x >= words - 1 || y < 1 || y >= height - 1) return;
  unsigned all = ~0u;
  for (int d = -1; d <= 1; d++) {
    unsigned l = in[(y + d) * words + x - 1], c = in[(y + d) * words + x], r = in[(y + d) * words + x + 1];
    all &= c & (c << 1 | l >> 31) & (c >> 1 | r << 31);
  }
  out[y * words + x] = all;
}
