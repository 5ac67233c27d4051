// Stages of Fourier transforms.

__device__ inline float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 minus(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

// Eight points at once.
__device__ inline void eight(float2 *v) {
  const float h = 0.70710678f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float2 a = v[k], b = v[k + 4];
    v[k] = plus(a, b), v[k + 4] = minus(a, b);
  }
  v[5] = times(v[5], make_float2(h, -h)), v[6] = make_float2(v[6].y, -v[6].x), v[7] = times(v[7], make_float2(-h, -h));
#pragma unroll
  for (int k = 0; k < 8; k += 4) {
    float2 a = plus(v[k], v[k + 2]), b = minus(v[k], v[k + 2]), c = plus(v[k + 1], v[k + 3]), d = minus(v[k + 1], v[k + 3]);
    d = make_float2(d.y, -d.x);
    v[k] = plus(a, c), v[k + 1] = minus(a, c), v[k + 2] = plus(b, d), v[k + 3] = minus(b, d);
  }
}

// A stage of radix 8 over global memory.
__global__ void stage(const float2 *__restrict__ in, float2 *__restrict__ out, int n, int span) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (span - 1), eighth = n / 8;
  if (i >= eighth) return;
  float2 v[8];
#pragma unroll
  for (int j = 0; j < 8; j++) v[j] = in[i + j * eighth];
  float angle = -6.2831853f * k / (8 * span);
#pragma unroll
  for (int j = 1; j < 8; j++) {
    float s, c;
    __sincosf(angle * j, &s, &c);
    v[j] = times(v[j], make_float2(c, s));
  }
  eight(v);
  const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  int at = (i - k) * 8 + k;
#pragma unroll
  for (int j = 0; j < 8; j++) out[at + j * span] = v[order[j]];
}

// 512 points by 64 threads, exchanged in shared memory between the three stages.
__global__ void __launch_bounds__(64) batch(float2 *data, int count) {
  __shared__ float re[8 * 72], im[8 * 72];
  float2 *x = data + (size_t)blockIdx.x * 512;
  int t = threadIdx.x;
  float2 v[8];
#pragma unroll
  for (int j = 0; j < 8; j++) v[j] = x[t + j * 64];
#pragma unroll
  for (int round = 0; round < 3; round++) {
    eight(v);
    if (round == 2) break;
    float angle = -6.2831853f / (round ? 64 : 512) * (round ? t % 8 : t);
#pragma unroll
    for (int j = 1; j < 8; j++) {
      float s, c;
      sincosf(angle * j, &s, &c);
      v[j] = times(v[j], make_float2(c, s));
    }
    int to = round ? t / 8 * 72 + t % 8 : t, step = round ? 8 : 72, from = round ? t / 8 * 72 + t % 8 * 8 : t / 8 * 72 + t % 8;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; j++) re[to + j * step] = v[j].x, im[to + j * step] = v[j].y;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = make_float2(re[from + j * (round ? 1 : 8)], im[from + j * (round ? 1 : 8)]);
  }
#pragma unroll
  for (int j = 0; j < 8; j++) x[t + j * 64] = v[j];
}

// Elements in the order of their reversed bits.
__global__ void reversed(const float2 *__restrict__ in, float2 *__restrict__ out, int bits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> (32 - bits)] = in[i];
}

// Twiddles between the steps of a transform in two parts, with a turn of the matrix.
__global__ void twiddle(const double2 *__restrict__ in, double2 *__restrict__ out, int w, int h) {
  __shared__ double2 tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x;
  for (int k = threadIdx.y; k < 16; k += blockDim.y) {
    int y = blockIdx.y * 16 + k;
    double s, c;
    sincospi(-2.0 * x * y / ((double)w * h), &s, &c);
    double2 v = in[(size_t)y * w + x];
    tile[k][threadIdx.x] = make_double2(v.x * c - v.y * s, v.x * s + v.y * c);
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 16; k += blockDim.y) out[(size_t)(blockIdx.x * 16 + k) * h + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][k];
}

// The product of two spectra of real signals.
__global__ void correlate(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ out, int n, float scale) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 p = a[i], q = b[i];
    out[i] = make_float4((p.x * q.x + p.y * q.y) * scale, (p.y * q.x - p.x * q.y) * scale, (p.z * q.z + p.w * q.w) * scale, (p.w * q.z - p.z * q.w) * scale);
  }
}

// A few frequencies by Goertzel's recurrence, a channel for each thread.
__global__ void goertzel(const float *__restrict__ signal, float *__restrict__ power, int channels, int length, float coefficient) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float a = 0, b = 0;
  for (int t = 0; t < length; t++) {
    float s = signal[(size_t)t * channels + c] + coefficient * a - b;
    b = a, a = s;
  }
  power[c] = a * a + b * b - coefficient * a * b;
}
