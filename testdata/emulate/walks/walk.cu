// Kernels as one writes them who does not know how they are priced.

// A table lookup by bytes of the data: WHERE 0 in constant memory, 1 in global memory, 2 in shared memory.
#ifndef WHERE
#define WHERE 0
#endif
__constant__ float held[256];
extern "C" __global__ void table(const unsigned char *in, const float *values, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#if WHERE == 2
  __shared__ float t[256];
  t[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
#endif
  if (i >= n) return;
#if WHERE == 0
  out[i] = held[in[i]];
#elif WHERE == 1
  out[i] = values[in[i]];
#else
  out[i] = t[in[i]];
#endif
}

// The same with words as indices.
extern "C" __global__ void words(const int *in, const float *values, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if WHERE == 0
  out[i] = held[in[i] & 255];
#else
  out[i] = values[in[i] & 255];
#endif
}

// A step of the heat equation. ACROSS 1: neighbouring threads are a row apart.
#ifndef ACROSS
#define ACROSS 1
#endif
extern "C" __global__ void heat(const float *in, float *out, int w, int h, float k) {
#if ACROSS
  int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
#else
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#endif
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  float c = in[i];
  out[i] = c + k * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4.0f * c);
}

// Levels of a picture of bytes.
#ifndef PER
#define PER 1
#endif
extern "C" __global__ void levels(const unsigned char *in, unsigned char *out, int n, float low, float high, float gamma) {
  int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * PER;
  for (int k = 0; k < PER; k++) {
    int i = i0 + k;
    if (i >= n) return;
    float v = in[i] / 255.0f;
    v = (v - low) / (high - low);
    v = fminf(fmaxf(v, 0.0f), 1.0f);
    out[i] = (unsigned char)(v * gamma * 255.0f + 0.5f);
  }
}

// The same over all pixels of a thread, by strides of the grid, to floats.
extern "C" __global__ void floats(const unsigned char *in, float *out, int n, float low, float high) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = (in[i] / 255.0f - low) / (high - low);
}

// Running means of SPAN values: RING 0 in an array of the thread, 1 in shared memory, 2 in global memory.
#ifndef RING
#define RING 0
#endif
#define SPAN 32
extern "C" __global__ void ring(const float *in, float *out, float *kept, int threads, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
#if RING == 0
  float r[SPAN];
#define R(k) r[k]
#elif RING == 1
  __shared__ float r[SPAN][128];
#define R(k) r[k][threadIdx.x]
#else
#define R(k) kept[(k) * threads + t]
#endif
  for (int k = 0; k < SPAN; k++) R(k) = 0.0f;
  float sum = 0.0f;
  int at = 0;
  for (int s = 0; s < steps; s++) {
    float v = in[s * threads + t];
    sum += v - R(at);
    R(at) = v;
    at = (at + 1) % SPAN;
    out[s * threads + t] = sum / SPAN;
  }
}

// Variances of rows in two passes. BY 0: a block per row; 1: a warp; 2: a thread.
#ifndef BY
#define BY 0
#endif
extern "C" __global__ void variance(const float *in, float *out, int rows, int cols) {
#if BY == 0
  __shared__ float part[256];
  int row = blockIdx.x, t = threadIdx.x;
  const float *p = in + (size_t)row * cols;
  float s = 0.0f;
  for (int c = t; c < cols; c += blockDim.x) s += p[c];
  part[t] = s;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  float mean = part[0] / cols;
  __syncthreads();
  s = 0.0f;
  for (int c = t; c < cols; c += blockDim.x) {
    float e = p[c] - mean;
    s += e * e;
  }
  part[t] = s;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0) out[row] = part[0] / cols;
#elif BY == 1
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float *p = in + (size_t)row * cols;
  float s = 0.0f;
  for (int c = lane; c < cols; c += 32) s += p[c];
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  float mean = s / cols;
  s = 0.0f;
  for (int c = lane; c < cols; c += 32) s += (p[c] - mean) * (p[c] - mean);
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (lane == 0) out[row] = s / cols;
#else
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float *p = in + (size_t)row * cols;
  float s = 0.0f;
  for (int c = 0; c < cols; c++) s += p[c];
  float mean = s / cols;
  s = 0.0f;
  for (int c = 0; c < cols; c++) s += (p[c] - mean) * (p[c] - mean);
  out[row] = s / cols;
#endif
}

// A sum by a tree in shared memory. TREE 0: halves; 1: by remainders; 2: by strides with conflicts.
#ifndef TREE
#define TREE 0
#endif
extern "C" __global__ void tree(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
#if TREE == 0
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
#elif TREE == 1
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
#else
  for (int d = 1; d < blockDim.x; d *= 2) {
    int k = 2 * d * t;
    if (k < blockDim.x) s[k] += s[k + d];
    __syncthreads();
  }
#endif
  if (t == 0) out[blockIdx.x] = s[0];
}
