// Kernels whose work follows from values: searches, counts, draws, levels, sorts, state machines, small solvers: ten launches of each.
#include <cstdio>
#include <cstdlib>
#include <vector>
__device__ __host__ inline unsigned mix(unsigned x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__global__ void ramp(int *a, int n, int step) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = i * step; }
// Lower bounds of keys that a hash makes, or that go up.
template <int KEYS> __global__ void lower(const int *sorted, int *where, int n, int step, int queries) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queries) return;
  int key = KEYS == 0 ? mix(i) % (unsigned)(n * step) : KEYS == 1 ? (long long)i * n * step / queries : (i % 1024) * (n / 1024) * step;
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid] < key) lo = mid + 1; else hi = mid;
  }
  where[i] = lo;
}
// The same with a power of two, without branches.
__global__ void lower_steps(const int *sorted, int *where, int n, int step) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int key = mix(i) % (unsigned)(n * step), at = 0;
  for (int s = n / 2; s; s /= 2) if (sorted[at + s] <= key) at += s;
  where[i] = at;
}
__global__ void counts_shared(const uchar4 *in, unsigned *out, int n) {
  __shared__ unsigned c[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) c[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    uchar4 v = in[i];
    atomicAdd(&c[v.x], 1); atomicAdd(&c[v.y], 1); atomicAdd(&c[v.z], 1); atomicAdd(&c[v.w], 1);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&out[k], c[k]);
}
__global__ void counts_global(const unsigned char *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[in[i]], 1);
}
__global__ void bytes_of_hash(unsigned *a, int n, unsigned mask) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = mix(i & 4095) & mask; }
// A draw of each row by its running sums, a block a row.
__global__ void draws(const float *weights, int *out, int cols) {
  __shared__ float sums[1024];
  __shared__ int found;
  float run = 0;
  if (threadIdx.x == 0) found = cols - 1;
  float target = (mix(blockIdx.x) >> 8) * (1.f / (1 << 24)) * cols;
  __syncthreads();
  for (int from = 0; from < cols; from += blockDim.x) {
    sums[threadIdx.x] = weights[(size_t)blockIdx.x * cols + from + threadIdx.x];
    __syncthreads();
    for (int o = 1; o < blockDim.x; o *= 2) {
      float v = threadIdx.x >= o ? sums[threadIdx.x - o] : 0;
      __syncthreads();
      sums[threadIdx.x] += v;
      __syncthreads();
    }
    float before = run + (threadIdx.x ? sums[threadIdx.x - 1] : 0), after = run + sums[threadIdx.x];
    if (before <= target && target < after) atomicMin(&found, from + (int)threadIdx.x);
    run += sums[blockDim.x - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = found;
}
// A step of a search by levels with a queue: the nodes of a level ask their neighbours, who are nodes by a hash.
__global__ void expand(const int *queue, int size, int *depth, int *next, int *tail, int level, int n, int degree) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int u = queue[i];
  for (int k = 0; k < degree; k++) {
    int v = mix(u * degree + k) % (unsigned)n;
    if (atomicCAS(&depth[v], -1, level) == -1) next[atomicAdd(tail, 1)] = v;
  }
}
// The same by a scan of all nodes.
__global__ void sweep(int *depth, int *more, int level, int n, int degree) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n || depth[u] != level) return;
  for (int k = 0; k < degree; k++) {
    int v = mix(u * degree + k) % (unsigned)n;
    if (depth[v] < 0) { depth[v] = level + 1; *more = 1; }
  }
}
// A pass of a sort by digits: counts of tiles, then places.
__global__ void digits(const unsigned *in, unsigned *count, int n, int shift) {
  __shared__ unsigned c[256];
  c[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 16; k++) atomicAdd(&c[in[blockIdx.x * 4096 + k * 256 + threadIdx.x] >> shift & 255], 1);
  __syncthreads();
  count[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}
__global__ void reorder(const unsigned *in, unsigned *out, const unsigned *place, int n, int shift) {
  __shared__ unsigned at[256];
  at[threadIdx.x] = place[threadIdx.x * gridDim.x + blockIdx.x];
  __syncthreads();
  for (int k = 0; k < 16; k++) {
    unsigned v = in[blockIdx.x * 4096 + k * 256 + threadIdx.x];
    unsigned to = atomicAdd(&at[v >> shift & 255], 1);
    if (to < n) out[to] = v;
  }
}
// State machines over texts, tables in constant and in shared memory.
__constant__ unsigned char steps[8][16];
template <bool SHARED> __global__ void machines(const unsigned char *text, int *out, int n, int len) {
  __shared__ unsigned char table[8][16];
  if (threadIdx.x < 128) table[threadIdx.x / 16][threadIdx.x % 16] = steps[threadIdx.x / 16][threadIdx.x % 16];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = i & 7, hits = 0;
  for (int k = 0; k < len; k++) {
    int c = text[(size_t)k * n + i] & 15;
    s = SHARED ? table[s][c] : steps[s][c];
    hits += s == 3;
  }
  out[i] = hits;
}
// Small systems in local memory, by elimination without pivots.
template <int N> __global__ void eliminate(const float *a, float *x, int count, int n) {
  float m[N][N + 1];
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) m[i][j] = a[(i * (n + 1) + j) * count + s] + (i == j ? n : 0);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      float f = m[i][k] / m[k][k];
      for (int j = k; j <= n; j++) m[i][j] -= f * m[k][j];
    }
  for (int i = n - 1; i >= 0; i--) {
    float v = m[i][n];
    for (int j = i + 1; j < n; j++) v -= m[i][j] * m[j][n];
    m[i][n] = v / m[i][i];
    x[i * count + s] = m[i][n];
  }
}
// Numbers of a combined recursive generator in integers of 64 bits.
__global__ void recursive(double *out, int n, int per) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long a0 = 12345 + i, a1 = 1, a2 = 2, b0 = 54321 + i, b1 = 3, b2 = 4;
  for (int k = 0; k < per; k++) {
    long long p = (1403580ll * a1 - 810728ll * a0) % 4294967087ll;
    if (p < 0) p += 4294967087ll;
    a0 = a1; a1 = a2; a2 = p;
    long long q = (527612ll * b2 - 1370589ll * b0) % 4294944443ll;
    if (q < 0) q += 4294944443ll;
    b0 = b1; b1 = b2; b2 = q;
    out[(size_t)k * n + i] = (p > q ? p - q : p - q + 4294967087ll) * 2.328306549295728e-10;
  }
}
// Sums of powers of one array in one pass, a sum of each block.
__global__ void powers(const float *in, double *out, int n, float mean) {
  __shared__ double part[3][8];
  double s[3] = {};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    double d = in[i] - mean;
    s[0] += d * d; s[1] += d * d * d; s[2] += d * d * d * d;
  }
  for (int j = 0; j < 3; j++) {
    for (int o = 16; o; o >>= 1) s[j] += __shfl_down_sync(~0u, s[j], o);
    if (threadIdx.x % 32 == 0) part[j][threadIdx.x / 32] = s[j];
  }
  __syncthreads();
  if (threadIdx.x < 3) {
    double t = 0;
    for (int k = 0; k < 8; k++) t += part[threadIdx.x][k];
    out[blockIdx.x * 3 + threadIdx.x] = t;
  }
}
// Values above a bound, kept side by side by one counter.
__global__ void keep(const int *in, int *out, int *count, int n, int bound) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > bound) out[atomicAdd(count, 1)] = in[i];
}
template <int TO> __global__ void costs(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (TO == 0) atomicAdd(&out[i / 8], 1);
  if (TO == 1) atomicAdd(&out[mix(i) % (unsigned)n], 1);
  if (TO == 2) atomicMax(&out[i % n], i);
}
// Bits of words, turned over as a table of 32 by 32.
__global__ void turn_bits(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[i], r = 0;
  for (int k = 0; k < 32; k++) {
    unsigned b = __ballot_sync(~0u, v >> k & 1);
    if ((threadIdx.x & 31) == k) r = b;
  }
  out[i] = r;
}
#define TEN for (int rep = 0; rep < 10; rep++)
int main() {
  int *a, *b, *c, *d;
  size_t bytes = 256 << 20;
  cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); cudaMalloc(&c, 4 << 20); cudaMalloc(&d, 16);
  cudaMemset(a, 0, bytes); cudaMemset(b, 0, bytes); cudaMemset(c, 0, 4 << 20); cudaMemset(d, 0, 16);
  unsigned char host[8][16];
  for (int s = 0; s < 8; s++) for (int k = 0; k < 16; k++) host[s][k] = (s * 5 + k * 3 + 1) & 7;
  cudaMemcpyToSymbol(steps, host, sizeof host);
  ramp<<<528, 256>>>(a, 1 << 20, 1);
  ramp<<<528, 256>>>(c, 1 << 16, 1);
  TEN lower<0><<<4096, 256>>>(a, b, 1 << 20, 1, 1 << 20);
  TEN lower<1><<<4096, 256>>>(a, b, 1 << 20, 1, 1 << 20);
  TEN lower<2><<<4096, 256>>>(a, b, 1 << 20, 1, 1 << 20);
  TEN lower_steps<<<4096, 256>>>(a, b, 1 << 20, 1);
  TEN lower<0><<<4096, 256>>>(c, b, 1 << 16, 1, 1 << 20);
  TEN lower<1><<<4096, 256>>>(c, b, 1 << 16, 1, 1 << 20);
  bytes_of_hash<<<528, 256>>>((unsigned *)a, 1 << 20, ~0u);
  TEN counts_shared<<<264, 256>>>((uchar4 *)a, (unsigned *)c, 1 << 20);
  TEN counts_global<<<4096, 256>>>((unsigned char *)a, (unsigned *)c, 1 << 20);
  bytes_of_hash<<<528, 256>>>((unsigned *)a, 1 << 20, 0x01010101);
  TEN counts_shared<<<264, 256>>>((uchar4 *)a, (unsigned *)c, 1 << 20);
  ramp<<<528, 256>>>(a, 1 << 20, 1);
  TEN keep<<<4096, 256>>>(a, b, d, 1 << 18, 1 << 17);
  TEN draws<<<2048, 1024>>>((float *)b, c, 2048);
  bytes_of_hash<<<528, 256>>>((unsigned *)a, 1 << 20, ~0u);
  TEN digits<<<256, 256>>>((unsigned *)a, (unsigned *)c, 1 << 20, 8);
  {  // places of the digits
    std::vector<unsigned> n(65536);
    cudaMemcpy(n.data(), c, 4 * 65536, cudaMemcpyDeviceToHost);
    unsigned at = 0;
    for (auto &v : n) { unsigned k = v; v = at; at += k; }
    cudaMemcpy(c, n.data(), 4 * 65536, cudaMemcpyHostToDevice);
  }
  TEN reorder<<<256, 256>>>((unsigned *)a, (unsigned *)b, (unsigned *)c, 1 << 20, 8);
  cudaMemset(a, 0, bytes);
  TEN machines<true><<<512, 256>>>((unsigned char *)a, c, 1 << 17, 256);
  TEN machines<false><<<512, 256>>>((unsigned char *)a, c, 1 << 17, 256);
  TEN eliminate<6><<<1024, 128>>>((float *)a, (float *)b, 1 << 17, 6);
  TEN eliminate<12><<<1024, 128>>>((float *)a, (float *)b, 1 << 17, 12);
  TEN eliminate<12><<<132, 128>>>((float *)a, (float *)b, 132 * 128, 12);
  TEN eliminate<20><<<1024, 64>>>((float *)a, (float *)b, 1 << 16, 20);
  TEN recursive<<<256, 256>>>((double *)b, 1 << 16, 32);
  TEN powers<<<1056, 256>>>((float *)a, (double *)b, 1 << 24, 1.f);
  TEN costs<0><<<16384, 256>>>(a, 1 << 19);
  TEN costs<1><<<16384, 256>>>(a, 1 << 19);
  TEN costs<2><<<16384, 256>>>(a, 1024);
  TEN turn_bits<<<16384, 256>>>((unsigned *)a, (unsigned *)b, 1 << 22);
  // levels from node 0: a queue, then sweeps
  const int n = 1 << 15;
  cudaMemset(b, 0xff, 4 * n);
  int zero = 0, size = 1;
  cudaMemcpy(a, &zero, 4, cudaMemcpyHostToDevice); cudaMemcpy(b, &zero, 4, cudaMemcpyHostToDevice);
  int *now = a, *next = a + n;
  for (int level = 1; size > 0 && level < 20; level++) {
    cudaMemcpy(d, &zero, 4, cudaMemcpyHostToDevice);
    expand<<<(size + 255) / 256, 256>>>(now, size, b, next, d, level, n, 8);
    cudaMemcpy(&size, d, 4, cudaMemcpyDeviceToHost);
    std::swap(now, next);
  }
  cudaMemset(b, 0xff, 4 * n);
  cudaMemcpy(b, &zero, 4, cudaMemcpyHostToDevice);
  for (int level = 0; level < 9; level++) sweep<<<n / 256, 256>>>(b, d, level, n, 8);
  cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
