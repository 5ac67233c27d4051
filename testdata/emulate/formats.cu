// Products of sparse matrices with a vector, in the formats of libraries. Columns are bits of random numbers; vectors have a power of two elements.

// Where row r begins, if rows have K entries more or less.
__device__ inline int begin(const unsigned *jitter, int r, int k) { return r * k + (int)(jitter[r] & 7); }

// Rows by one thread each, as in the first chapter.
__global__ void scalar(const unsigned *jitter, const int *column, const double *value, const double *x, double *y, int rows, int k) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    double sum = 0;
    int end = begin(jitter, r + 1, k);
    for (int e = begin(jitter, r, k); e < end; e++) sum += value[e] * x[column[e] >> 1 & (rows - 1)];
    y[r] += sum;
  }
}

// Rows by T threads each.
template <int T> __global__ void __launch_bounds__(128) threads(const unsigned *__restrict__ jitter, const int *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y, int rows, int k, float alpha, float beta) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / T, lane = threadIdx.x % T;
  if (r >= rows) return;
  float sum = 0;
  int end = begin(jitter, r + 1, k);
  for (int e = begin(jitter, r, k) + lane; e < end; e += T) sum += __ldg(value + e) * __ldg(x + (__ldg(column + e) >> 1 & (rows - 1)));
#pragma unroll
  for (int d = T / 2; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d, T);
  if (lane == 0) y[r] = alpha * sum + beta * y[r];
}

// Entries with their rows: sums of runs in a warp, then one addition for each run.
__global__ void coordinates(const int *__restrict__ row, const int *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, float *y, int entries, int mask) {
  int e = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if (e >= entries) return;
  int r = row[e] >> 4;
  float v = value[e] * x[column[e] >> 1 & mask];
  for (int d = 1; d < 32; d <<= 1) {
    float other = __shfl_up_sync(0xffffffff, v, d);
    int whose = __shfl_up_sync(0xffffffff, r, d);
    if (lane >= d && whose == r) v += other;
  }
  int next = __shfl_down_sync(0xffffffff, r, 1);
  if (lane == 31 || next != r) atomicAdd(y + r, v);
}

// Slices of 32 rows, by column within.
__global__ void slices(const int *__restrict__ width, const int *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y, int rows) {
  size_t r = blockIdx.x * (size_t)blockDim.x + threadIdx.x, slice = r / 32, lane = r % 32;
  if (r >= rows) return;
  int most = width[slice];
  size_t at = slice * 32 * 16 + lane;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < most; k++, at += 32) sum += value[at] * x[column[at] >> 1 & (rows - 1)];
  y[r] = sum;
}

// Diagonals.
__global__ void diagonals(const int *__restrict__ offset, int count, const double *__restrict__ value, const double *__restrict__ x, double *__restrict__ y, int n) {
  extern __shared__ int offsets[];
  for (int k = threadIdx.x; k < count; k += blockDim.x) offsets[k] = (offset[k] - 8) * (k < count / 2 ? 1 : 1024);
  __syncthreads();
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += gridDim.x * blockDim.x) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
      int c = r + offsets[k];
      if (c >= 0 && c < n) sum += value[(size_t)k * n + r] * x[c];
    }
    y[r] = sum;
  }
}

// Blocks of 4 by 4: a thread for each row of one.
__global__ void blocked(const int *__restrict__ column, const float4 *__restrict__ value, const float4 *__restrict__ x, float *__restrict__ y, int rows, int k) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 4, within = threadIdx.x % 4;
  if (r >= rows) return;
  float sum = 0;
  for (int e = r * k; e < r * k + k; e++) {
    float4 a = value[e * 4 + within], b = x[column[e] >> 1 & (rows - 1)];
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  y[r * 4 + within] = sum;
}
