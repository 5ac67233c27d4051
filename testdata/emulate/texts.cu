// Bytes and tables.

// Where a word begins in a text.
__global__ void find(const unsigned char *__restrict__ text, const unsigned char *__restrict__ word, int *found, int n, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - length) return;
  int k = 0;
  while (k < length && (text[i + k] & 1) == (word[k] & 1)) k++;
  if (k == length) found[i / 1024] = i;
}

// Rounds of a cipher: four tables of 256 words in shared memory.
__global__ void cipher(const uint4 *__restrict__ x, uint4 *y, const unsigned *__restrict__ table, int rounds) {
  __shared__ unsigned t[4][256];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) t[i / 256][i % 256] = table[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 s = x[i];
  for (int r = 0; r < rounds; r++) {
    uint4 n;
    n.x = t[0][s.x & 255] ^ t[1][s.y >> 8 & 255] ^ t[2][s.z >> 16 & 255] ^ t[3][s.w >> 24] ^ r;
    n.y = t[0][s.y & 255] ^ t[1][s.z >> 8 & 255] ^ t[2][s.w >> 16 & 255] ^ t[3][s.x >> 24];
    n.z = t[0][s.z & 255] ^ t[1][s.w >> 8 & 255] ^ t[2][s.x >> 16 & 255] ^ t[3][s.y >> 24];
    n.w = t[0][s.w & 255] ^ t[1][s.x >> 8 & 255] ^ t[2][s.y >> 16 & 255] ^ t[3][s.z >> 24];
    s = n;
  }
  y[i] = s;
}

// One diagonal of an alignment.
__global__ void diagonal(const int *__restrict__ two, const int *__restrict__ one, int *out, const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int n) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = two[i - 1] + ((a[i] & 3) == (b[n - i] & 3) ? 2 : -1);
  out[i] = max(max(s, 0), max(one[i - 1], one[i]) - 1);
}

// Three bytes as four letters.
__global__ void letters(const unsigned char *__restrict__ x, uchar4 *y, const unsigned char *__restrict__ table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[3 * i] << 16 | x[3 * i + 1] << 8 | x[3 * i + 2];
  y[i] = make_uchar4(table[v >> 18], table[v >> 12 & 63], table[v >> 6 & 63], table[v & 63]);
}

// The place of each key in an ordered table.
__global__ void search(const unsigned *__restrict__ key, const int *__restrict__ table, int *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = key[i] % m, low = 0, high = m;
  while (low < high) {
    int mid = (low + high) / 2;
    if (table[mid] < k) low = mid + 1;
    else high = mid;
  }
  y[i] = low;
}
