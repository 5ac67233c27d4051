// Kernels that read textures, as people write them.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void blur(cudaTextureObject_t image, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
  out[y * width + x] = sum / 25;
}

__global__ void turn(cudaTextureObject_t image, float *out, int width, int height, float c, float s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x - width / 2, v = y - height / 2;
  out[y * width + x] = tex2D<float>(image, u * c - v * s + width / 2, u * s + v * c + height / 2);
}

__global__ void lookup(cudaTextureObject_t table, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<float>(table, in[i] * 255 + 0.5f);
}

__global__ void gather(cudaTextureObject_t values, const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += tex1Dfetch<float>(values, at[i * 8 + k]);
  out[i] = sum;
}

__global__ void march(cudaTextureObject_t volume, float *out, int width, int height, int steps) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int i = 0; i < steps; i++) sum = fmaf(sum, 0.98f, tex3D<float>(volume, x * 0.125f, y * 0.125f, i * 0.5f));
  out[y * width + x] = sum;
}

__global__ void invert(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  surf2Dwrite(1 - surf2Dread<float>(from, x * 4, y), to, x * 4, y);
}

cudaTextureObject_t texture(cudaResourceDesc r, cudaTextureFilterMode mode) {
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
  d.filterMode = mode;
  d.readMode = cudaReadModeElementType;
  cudaTextureObject_t t = 0;
  cudaCreateTextureObject(&t, &r, &d, nullptr);
  return t;
}

cudaResourceDesc of(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}

int main() {
  const int width = 2048, height = 2048, n = 1 << 21;
  auto format = cudaCreateChannelDesc<float>();
  cudaArray_t image, other, table, volume;
  cudaMallocArray(&image, &format, width, height, cudaArraySurfaceLoadStore);
  cudaMallocArray(&other, &format, width, height, cudaArraySurfaceLoadStore);
  cudaMallocArray(&table, &format, 256, 0, 0);
  cudaMalloc3DArray(&volume, &format, make_cudaExtent(128, 128, 128), 0);
  float *out, *in;
  int *at;
  cudaMalloc(&out, sizeof(float) * width * height);
  cudaMalloc(&in, sizeof(float) * n);
  cudaMalloc(&at, sizeof(int) * 8 * n);
  int *host = new int[8 * n];
  for (int i = 0; i < 8 * n; i++) host[i] = (i / 8 + i % 8 * 37) % n;
  cudaMemcpy(at, host, sizeof(int) * 8 * n, cudaMemcpyHostToDevice);
  cudaMemset(in, 0, sizeof(float) * n);
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = in;
  linear.res.linear.desc = format;
  linear.res.linear.sizeInBytes = sizeof(float) * n;
  cudaResourceDesc a = of(image), b = of(other);
  cudaSurfaceObject_t from = 0, to = 0;
  cudaCreateSurfaceObject(&from, &a);
  cudaCreateSurfaceObject(&to, &b);
  dim3 block(32, 8), grid(width / 32, height / 8);
  cudaTextureObject_t points = texture(of(image), cudaFilterModePoint), smooth = texture(of(image), cudaFilterModeLinear);
  cudaTextureObject_t short_table = texture(of(table), cudaFilterModeLinear), solid = texture(of(volume), cudaFilterModeLinear), values = texture(linear, cudaFilterModePoint);
  for (int i = 0; i < 5; i++) {
    blur<<<grid, block>>>(points, out, width, height);
    turn<<<grid, block>>>(smooth, out, width, height, 0.8f, 0.6f);
    lookup<<<n / 256, 256>>>(short_table, in, out, n);
    gather<<<n / 256, 256>>>(values, at, out, n);
    march<<<dim3(1024 / 32, 1024 / 8), block>>>(solid, out, 1024, 1024, 256);
    invert<<<grid, block>>>(from, to, width, height);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
