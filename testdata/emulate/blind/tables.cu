#include <stdint.h>
// rows of one table that find their key in another one, by a hash table with linear probing; an empty place has the key 0
__global__ void probe_join(const uint32_t *__restrict__ keys, const uint2 *__restrict__ table, uint32_t *__restrict__ found, uint32_t mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t key = keys[i], at = (key * 2654435769u >> 8) & mask, value = 0xffffffffu;
  while (true) {
    uint2 e = table[at];
    if (e.x == key) { value = e.y; break; }
    if (e.x == 0) break;
    at = (at + 1) & mask;
  }
  found[i] = value;
}

// years, months and days of days since 1970
__global__ void date_parts(const int *__restrict__ days, uint32_t *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int z = days[i] + 719468;
  int era = (z >= 0 ? z : z - 146096) / 146097;
  unsigned doe = (unsigned)(z - era * 146097);
  unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int y = (int)yoe + era * 400;
  unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  unsigned d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
  out[i] = (uint32_t)(y + (m <= 2)) << 16 | m << 8 | d;
}

// how many rows two bitmaps of 2 MB have in common, for each of many pairs
__global__ void bitmap_count(const uint4 *__restrict__ a, const uint4 *__restrict__ b, unsigned *__restrict__ count, int words) {
  const uint4 *p = a + (size_t)blockIdx.y * words;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    uint4 x = p[i], y = b[i];
    sum += __popc(x.x & y.x) + __popc(x.y & y.y) + __popc(x.z & y.z) + __popc(x.w & y.w);
  }
  sum = __reduce_add_sync(0xffffffffu, sum);
  if ((threadIdx.x & 31) == 0) atomicAdd(&count[blockIdx.y], (unsigned)sum);
}

// values of runs: where each begins is searched
__global__ void runs_expand(const int *__restrict__ begins, const float *__restrict__ values, float *__restrict__ out, int runs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = runs;
  while (hi - lo > 1) {
    int mid = (lo + hi) >> 1;
    if (begins[mid] <= i) lo = mid; else hi = mid;
  }
  out[i] = values[lo];
}

// sums and greatest values of 64 groups
__global__ void group_small(const uint8_t *__restrict__ group, const float *__restrict__ value, float *__restrict__ sums, int *__restrict__ counts, int n) {
  __shared__ float s[64];
  __shared__ int c[64];
  if (threadIdx.x < 64) { s[threadIdx.x] = 0; c[threadIdx.x] = 0; }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int g = group[i];
    atomicAdd(&s[g], value[i]);
    atomicAdd(&c[g], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) { atomicAdd(&sums[threadIdx.x], s[threadIdx.x]); atomicAdd(&counts[threadIdx.x], c[threadIdx.x]); }
}

// rows of 48 characters that contain a word of six letters
__global__ void like(const char *__restrict__ rows, const char *__restrict__ word, uint8_t *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *row = rows + (size_t)i * 48;
  bool hit = false;
  for (int at = 0; at <= 42 && !hit; at++) {
    int k = 0;
    while (k < 6 && row[at + k] == word[k]) k++;
    hit = k == 6;
  }
  out[i] = hit;
}

// numbers of 6 decimal digits and two behind the point, each in a row of 9 characters
__global__ void parse(const char *__restrict__ text, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *p = text + 9 * (size_t)i;
  int whole = 0, part = 0;
#pragma unroll
  for (int k = 0; k < 6; k++) whole = 10 * whole + (p[k] & 15);
#pragma unroll
  for (int k = 6; k < 8; k++) part = 10 * part + (p[k] & 15);
  float v = whole + 0.01f * part;
  out[i] = p[8] == '-' ? -v : v;
}
