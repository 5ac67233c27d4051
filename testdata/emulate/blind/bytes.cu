#include <stdint.h>
// Adler-32 of chunks of 16 KB: a warp for each, whose lanes sum bytes and bytes by their distance to the end
__global__ void adler(const uint4 *__restrict__ data, uint32_t *__restrict__ out, int chunks) {
  int chunk = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (chunk >= chunks) return;
  const uint4 *p = data + (size_t)chunk * 1024;
  uint32_t a = 0; uint64_t b = 0;
  for (int k = lane; k < 1024; k += 32) {
    uint4 v = p[k];
    uint32_t w[4] = {v.x, v.y, v.z, v.w}, s = 0, weighted = 0;
#pragma unroll
    for (int j = 0; j < 16; j++) { uint32_t c = w[j / 4] >> 8 * (j & 3) & 255; s += c; weighted += c * (16 - j); }
    a += s;
    b += weighted + (uint64_t)s * (16384 - 16 * (k + 1));
  }
  for (int d = 16; d; d >>= 1) { a += __shfl_down_sync(~0u, a, d); b += __shfl_down_sync(~0u, b, d); }
  if (lane == 0) out[chunk] = (uint32_t)((b + 16384) % 65521) << 16 | (a + 1) % 65521;
}

// where quotes and line ends of a table in text are: masks of 32 characters, and whether each is inside quotes within the block
__global__ void csv_masks(const uint8_t *__restrict__ text, uint32_t *__restrict__ ends, int *__restrict__ count, int n) {
  __shared__ int parity[8], found[8];
  int i = blockIdx.x * 256 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  uint8_t c = i < n ? text[i] : 0;
  uint32_t quotes = __ballot_sync(~0u, c == '"');
  if (lane == 0) parity[warp] = __popc(quotes) & 1;
  __syncthreads();
  int before = 0;
  for (int k = 0; k < warp; k++) before ^= parity[k];
  before ^= __popc(quotes & ((2u << lane) - 1)) & 1;
  uint32_t mask = __ballot_sync(~0u, c == '\n' && !before);
  if (lane == 0) { ends[i / 32] = mask; found[warp] = __popc(mask); }
  __syncthreads();
  if (threadIdx.x == 0) {
    int s = 0;
    for (int k = 0; k < 8; k++) s += found[k];
    count[blockIdx.x] = s;
  }
}

// IMA ADPCM: streams of 1,024 bytes, each decoded by a thread
__constant__ int16_t steps[89] = {7,8,9,10,11,12,13,14,16,17,19,21,23,25,28,31,34,37,41,45,50,55,60,66,73,80,88,97,107,118,130,143,157,173,190,209,230,253,279,307,337,371,408,449,494,544,598,658,724,796,876,963,1060,1166,1282,1411,1552,1707,1878,2066,2272,2499,2749,3024,3327,3660,4026,4428,4871,5358,5894,6484,7132,7845,8630,9493,10442,11487,12635,13899,15289,16818,18500,20350,22385,24623,27086,29794,32767};
__constant__ int8_t moves[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
__global__ void adpcm(const uint32_t *__restrict__ in, int *__restrict__ out, int streams, int words) {
  __shared__ int16_t step_of[89];
  for (int k = threadIdx.x; k < 89; k += blockDim.x) step_of[k] = steps[k];
  __syncthreads();
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= streams) return;
  int value = 0, at = 0;
  for (int w = 0; w < words; w++) {
    uint32_t v = in[(size_t)w * streams + s];
    int pair = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      int code = v >> 4 * j & 15, step = step_of[at], d = step >> 3;
      if (code & 4) d += step;
      if (code & 2) d += step >> 1;
      if (code & 1) d += step >> 2;
      value += code & 8 ? -d : d;
      value = min(max(value, -32768), 32767);
      at = min(max(at + moves[code & 7], 0), 88);
      if (j & 1) { out[(size_t)(4 * w + j / 2) * streams + s] = pair | value << 16; } else pair = value & 65535;
    }
  }
}

// longest prefix of IPv4 addresses: a table for the first 24 bits, and one of 256 for those that go on
__global__ void lookup_ip(const uint32_t *__restrict__ address, const uint16_t *__restrict__ first, const uint16_t *__restrict__ rest, uint16_t *__restrict__ hop, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t a = address[i];
  uint16_t r = first[a >> 8];
  if (r & 0x8000) r = rest[(r & 0x7fff) * 256 + (a & 255)];
  hop[i] = r;
}

// bits of a frame of reference: values of `width` bits, of which the block knows the width of its 1,024
__global__ void for_decode(const uint32_t *__restrict__ packed, const int *__restrict__ begin, const int *__restrict__ base, int *__restrict__ out) {
  int b = blockIdx.x, from = begin[b], width = (begin[b + 1] - from) / 32, low = base[b];
  uint32_t mask = width < 32 ? (1u << width) - 1 : ~0u;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
    uint32_t bit = k * width, w = from + bit / 32;
    uint64_t two = packed[w] | (uint64_t)packed[w + 1] << 32;
    out[b * 1024 + k] = low + (int)((uint32_t)(two >> bit % 32) & mask);
  }
}
