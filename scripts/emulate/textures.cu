// How many cycles a multiprocessor takes for each instruction that reads or writes a texture or a surface, all of whose lines its first-level cache holds.
// Made testdata/h200/measurement/textures.csv.gz: the program, the cycles, and what the runtime said.
//
//     nvcc -O3 -arch=sm_90 -o textures textures.cu && ./textures
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kReads = 256, kItems = 1024, kWidth = 64;

template <class Body>
__device__ void timed(long long *cycles, float *out, Body body) {
  float sum = 0;
  for (int i = 0; i < 16; i++) sum += body(i);
  __syncthreads();
  long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < kReads; i++) sum += body(i);
  __syncthreads();
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

__global__ void plane(cudaTextureObject_t t, long long *cycles, float *out) {
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  timed(cycles, out, [=](int i) { return tex2D<float>(t, (x + i) % kWidth + 0.5f, (y + 3 * i) % kWidth + 0.5f); });
}

__global__ void plane4(cudaTextureObject_t t, long long *cycles, float *out) {
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  timed(cycles, out, [=](int i) { float4 v = tex2D<float4>(t, (x + i) % kWidth + 0.5f, (y + 3 * i) % kWidth + 0.5f); return v.x + v.y + v.z + v.w; });
}

__global__ void between(cudaTextureObject_t t, long long *cycles, float *out) {
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  timed(cycles, out, [=](int i) { return tex2D<float>(t, (x + i) % kWidth + 0.3f, (y + 3 * i) % kWidth + 0.7f); });
}

__global__ void volume(cudaTextureObject_t t, long long *cycles, float *out) {
  int x = threadIdx.x % 16, y = threadIdx.x / 16 % 16, z = threadIdx.x / 256;
  timed(cycles, out, [=](int i) { return tex3D<float>(t, (x + i) % 16 + 0.5f, (y + 3 * i) % 16 + 0.5f, (z + i) % 16 + 0.5f); });
}

__global__ void line(cudaTextureObject_t t, long long *cycles, float *out) {
  int x = threadIdx.x;
  timed(cycles, out, [=](int i) { return tex1Dfetch<float>(t, (x + 32 * i) % 4096); });
}

__global__ void surface(cudaSurfaceObject_t s, long long *cycles, float *out) {
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  timed(cycles, out, [=](int i) { return surf2Dread<float>(s, (x + i) % kWidth * 4, (y + 3 * i) % kWidth); });
}

__global__ void surface_write(cudaSurfaceObject_t s, long long *cycles, float *out) {
  int x = threadIdx.x % 32, y = threadIdx.x / 32;
  timed(cycles, out, [=](int i) { surf2Dwrite<float>(float(i), s, (x + i) % kWidth * 4, (y + 3 * i) % kWidth); return 0.0f; });
}

__global__ void loads(const float *in, long long *cycles, float *out) {
  int x = threadIdx.x;
  timed(cycles, out, [=](int i) { return in[(x + 32 * i) % 4096]; });
}

template <class T>
cudaArray_t array(int width, int height, int depth, unsigned flags) {
  cudaArray_t a;
  auto format = cudaCreateChannelDesc<T>();
  if (depth) cudaMalloc3DArray(&a, &format, make_cudaExtent(width, height, depth), flags);
  else cudaMallocArray(&a, &format, width, height, flags);
  return a;
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

long long *cycles;
float *out;

template <class K, class A>
void run(const char *name, K kernel, A argument) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  long long told[8];
  for (int i = 0; i < 3; i++) kernel<<<p.multiProcessorCount, kItems>>>(argument, cycles, out);
  cudaError_t e = cudaDeviceSynchronize();
  cudaMemcpy(told, cycles, sizeof told, cudaMemcpyDeviceToHost);
  double each = double(told[0]) / (kReads * (kItems / 32));
  printf("%s,%.3f,%s\n", name, each, cudaGetErrorString(e));
  cudaGetLastError();
}

int main() {
  cudaMalloc(&cycles, 1 << 16);
  cudaMalloc(&out, 1 << 24);
  float *in;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * sizeof(float));
  cudaArray_t a = array<float>(kWidth, kWidth, 0, cudaArraySurfaceLoadStore), a4 = array<float4>(kWidth, kWidth, 0, 0), v = array<float>(16, 16, 16, 0);
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = in;
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = 4096 * sizeof(float);
  cudaResourceDesc r = of(a);
  cudaSurfaceObject_t s = 0;
  cudaCreateSurfaceObject(&s, &r);
  printf("program,cycles,error\n");
  run("plane", plane, texture(of(a), cudaFilterModePoint));
  run("plane4", plane4, texture(of(a4), cudaFilterModePoint));
  run("between", between, texture(of(a), cudaFilterModeLinear));
  run("between_point", between, texture(of(a), cudaFilterModePoint));
  run("volume", volume, texture(of(v), cudaFilterModePoint));
  run("volume_between", volume, texture(of(v), cudaFilterModeLinear));
  run("line", line, texture(linear, cudaFilterModePoint));
  run("surface", surface, s);
  run("surface_write", surface_write, s);
  run("loads", loads, in);
}
