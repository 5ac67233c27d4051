// Strings.

// The distance of two words of 32 letters, one row in registers, a pair for each thread.
__global__ void distance(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *out, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  int row[17];
#pragma unroll
  for (int k = 0; k <= 16; k++) row[k] = k;
  unsigned char word[16];
#pragma unroll
  for (int k = 0; k < 16; k++) word[k] = b[k * pairs + i];
  for (int r = 0; r < 32; r++) {
    unsigned char letter = a[r * pairs + i];
    int corner = row[0];
    row[0] = r + 1;
#pragma unroll
    for (int k = 1; k <= 16; k++) {
      int value = min(min(row[k], row[k - 1]) + 1, corner + (word[k - 1] != letter));
      corner = row[k];
      row[k] = value;
    }
  }
  out[i] = row[16];
}

// Shift-and: a word of up to 32 letters in a text, by masks in shared memory.
__global__ void shifts(const unsigned char *__restrict__ text, const unsigned *__restrict__ mask, int *count, int n, int each) {
  __shared__ unsigned masks[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) masks[k] = mask[k];
  __syncthreads();
  int from = (blockIdx.x * blockDim.x + threadIdx.x) * each, hits = 0;
  unsigned state = 0;
  for (int k = from; k < min(from + each, n); k++) {
    state = (state << 1 | 1) & masks[text[k]];
    hits += state >> 11 & 1;
  }
  if (hits > 0) atomicAdd(count, hits);
}

// Base 64: 3 bytes to 4 letters.
__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__global__ void base64(const unsigned char *in, char *out, int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
  out[4 * i] = alphabet[v >> 18 & 63];
  out[4 * i + 1] = alphabet[v >> 12 & 63];
  out[4 * i + 2] = alphabet[v >> 6 & 63];
  out[4 * i + 3] = alphabet[v & 63];
}

// How many words and lines a text has.
__global__ void words(const uint4 *__restrict__ text, unsigned *total, int n) {
  unsigned lines = 0, starts = 0, before = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 v = text[i];
    const unsigned part[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 16; k++) {
      unsigned c = part[k / 4] >> k % 4 * 8 & 255, space = c <= 7;
      lines += c == 10;
      starts += before & ~space;
      before = space;
    }
  }
  lines = __reduce_add_sync(~0u, lines), starts = __reduce_add_sync(~0u, starts);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(total, lines);
    atomicAdd(total + 1, starts);
  }
}

// The longest match behind each place within a window, as compressors look for.
__global__ void matches(const unsigned char *__restrict__ text, unsigned short *__restrict__ best, int window) {
  extern __shared__ unsigned char part[];
  int base = blockIdx.x * blockDim.x, t = threadIdx.x;
  for (int k = t; k < window + blockDim.x + 16; k += blockDim.x) part[k] = text[base + k];
  __syncthreads();
  int here = window + t, longest = 0, where = 0;
  for (int back = 1; back <= window; back++) {
    int length = 0;
    while (length < 16 && part[here + length] == part[here - back + length]) length++;
    if (length > longest) longest = length, where = back;
  }
  best[base + t] = longest << 11 | where;
}
