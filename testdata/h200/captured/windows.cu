// Windows around each element, images, lattices and reductions, as collections of programs have them: ten launches of each.
#include <cstdio>
#include <cstdlib>
#include <vector>
// Whether an element is above all others within `order` places, along a line that ends or comes round.
template <typename T, bool CLIP> __global__ void peaks(int n, int order, const T *in, bool *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    T v = in[i];
    bool above = true;
    for (int o = 1; o <= order; o++) {
      int right = i + o, left = i - o;
      if (CLIP) { if (right >= n) right = n - 1; if (left < 0) left = 0; }
      else { if (right >= n) right -= n; if (left < 0) left += n; }
      above &= v > in[right];
      above &= v >= in[left];
    }
    out[i] = above;
  }
}
// The same in a plane, along one of its axes.
template <typename T> __global__ void peaks_plane(int w, int h, int order, int axis, const T *in, bool *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int i = y * w + x;
  T v = in[i];
  bool above = true;
  for (int o = 1; o <= order; o++) {
    int right, left;
    if (axis == 0) { right = min(y + o, h - 1) * w + x; left = max(y - o, 0) * w + x; }
    else { right = y * w + min(x + o, w - 1); left = y * w + max(x - o, 0); }
    above &= v > in[right];
    above &= v >= in[left];
  }
  out[i] = above;
}
template <int R> __global__ void bilateral(const float *in, float *out, int w, int h, float a, float b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float c = in[y * w + x], s = 0, n = 0;
  for (int j = -R; j <= R; j++)
    for (int i = -R; i <= R; i++) {
      int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1);
      float v = in[yy * w + xx], d = v - c, f = expf(-(i * i + j * j) * a) * expf(-d * d * b);
      s += v * f; n += f;
    }
  out[y * w + x] = s / n;
}
__global__ void gamma_bytes(const uchar4 *in, uchar4 *out, int n, float g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = in[i];
  p.x = (unsigned char)(255.f * powf(p.x / 255.f, g));
  p.y = (unsigned char)(255.f * powf(p.y / 255.f, g));
  p.z = (unsigned char)(255.f * powf(p.z / 255.f, g));
  out[i] = p;
}
__global__ void heat(const float *in, float *out, int n, float r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  out[i] = in[i] + r * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.f * in[i]);
}
__global__ void jacobi_error(const float *in, float *out, float *error, int n) {
  __shared__ float tile[18][18];
  __shared__ float part[8];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = (y + 1) * (n + 2) + x + 1;
  tile[threadIdx.y + 1][threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0) tile[threadIdx.y + 1][0] = in[i - 1];
  if (threadIdx.x == 15) tile[threadIdx.y + 1][17] = in[i + 1];
  if (threadIdx.y == 0) tile[0][threadIdx.x + 1] = in[i - n - 2];
  if (threadIdx.y == 15) tile[17][threadIdx.x + 1] = in[i + n + 2];
  __syncthreads();
  float v = 0.25f * (tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y + 2][threadIdx.x + 1] + tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x + 2]);
  float e = fabsf(v - tile[threadIdx.y + 1][threadIdx.x + 1]);
  out[i] = v;
  int k = threadIdx.y * 16 + threadIdx.x;
  for (int o = 16; o; o >>= 1) e += __shfl_down_sync(~0u, e, o);
  if (k % 32 == 0) part[k / 32] = e;
  __syncthreads();
  if (k < 8) {
    e = part[k];
    for (int o = 4; o; o >>= 1) e += __shfl_down_sync(0xff, e, o);
    if (k == 0) atomicAdd(error, e);
  }
}
__global__ void lattice(const double *f, double *g, int n, double w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, all = n * n * n;
  const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0}, cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, 1, -1, -1, 0, 0, 0, 0, 1, -1, 1, -1}, cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1};
  double v[19], r = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int q = 0; q < 19; q++) {
    int xx = (x - cx[q] + n) % n, yy = (y - cy[q] + n) % n, zz = (z - cz[q] + n) % n;
    v[q] = f[q * all + (zz * n + yy) * n + xx];
    r += v[q]; ux += cx[q] * v[q]; uy += cy[q] * v[q]; uz += cz[q] * v[q];
  }
  ux /= r; uy /= r; uz /= r;
#pragma unroll
  for (int q = 0; q < 19; q++) {
    double c = 3 * (cx[q] * ux + cy[q] * uy + cz[q] * uz), t = q == 0 ? 1. / 3 : q < 7 ? 1. / 18 : 1. / 36;
    g[q * all + (z * n + y) * n + x] = v[q] + w * (t * r * (1 + c + 0.5 * c * c - 1.5 * (ux * ux + uy * uy + uz * uz)) - v[q]);
  }
}
// Words of a window are counted by value, and the entropy of the counts is kept.
__global__ void entropies(const unsigned char *in, float *out, int w, int h) {
  __shared__ unsigned count[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  unsigned char c[16] = {};
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) {
      int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1);
      c[in[yy * w + xx] & 15]++;
    }
  count[threadIdx.y][threadIdx.x] = 0;
  float e = 0;
  for (int k = 0; k < 16; k++) if (c[k]) e -= c[k] / 25.f * log2f(c[k] / 25.f);
  out[y * w + x] = e;
}
struct Wide { unsigned v[16]; };
__global__ void structs(const Wide *in, Wide *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Wide s = in[i];
  for (int r = 0; r < rounds; r++)
#pragma unroll
    for (int k = 0; k < 16; k++) s.v[k] += k * r;
  for (int k = 0; k < 16; k++) out[i].v[k] = s.v[k];
}
__global__ void planes(const unsigned *in, unsigned *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 16; k++) {
    unsigned v = in[k * n + i];
    for (int r = 0; r < rounds; r++) v += k * r;
    out[k * n + i] = v;
  }
}
#define TEN for (int rep = 0; rep < 10; rep++)
template <typename T> static void both(int n, const void *in, void *out) {
  for (int order : {1, 8}) {
    TEN peaks<T, true><<<n / 256, 256>>>(n, order, (const T *)in, (bool *)out);
    TEN peaks<T, false><<<1056, 256>>>(n, order, (const T *)in, (bool *)out);
    for (int axis : {0, 1}) TEN peaks_plane<T><<<dim3(64, 128), dim3(32, 16)>>>(2048, 2048, order, axis, (const T *)in, (bool *)out);
  }
}
int main() {
  float *a, *b, *e;
  size_t bytes = 256 << 20;
  cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); cudaMalloc(&e, 4);
  cudaMemset(a, 0, bytes); cudaMemset(b, 0, bytes); cudaMemset(e, 0, 4);
  both<int>(1 << 22, a, b);
  both<double>(1 << 22, a, b);
  TEN bilateral<3><<<dim3(46, 45), dim3(32, 16)>>>(a, b, 1472, 720, 0.1f, 0.2f);
  TEN bilateral<6><<<dim3(92, 45), dim3(16, 16)>>>(a, b, 1472, 720, 0.1f, 0.2f);
  TEN gamma_bytes<<<3840 * 2160 / 256, 256>>>((uchar4 *)a, (uchar4 *)b, 3840 * 2160, 2.2f);
  TEN heat<<<dim3(64, 256), dim3(32, 8)>>>(a, b, 2048, 0.1f);
  TEN heat<<<dim3(128, 128), dim3(16, 16)>>>(a, b, 2048, 0.1f);
  TEN jacobi_error<<<dim3(128, 128), dim3(16, 16)>>>(a, b, e, 2048);
  cudaMemset(a, 1, bytes);
  TEN lattice<<<dim3(1, 64, 64), 64>>>((double *)a, (double *)b, 64, 1.2);
  TEN lattice<<<dim3(1, 128, 128), 128>>>((double *)a, (double *)b, 128, 1.2);
  TEN entropies<<<dim3(128, 128), dim3(16, 16)>>>((unsigned char *)a, b, 2048, 2048);
  TEN structs<<<2048, 256>>>((Wide *)a, (Wide *)b, 1 << 19, 4);
  TEN planes<<<2048, 256>>>((unsigned *)a, (unsigned *)b, 1 << 19, 4);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
