// edit distances of a pattern of up to 64 letters to many texts, a column of differences in two words
__global__ void edits64(const unsigned char *__restrict__ text, const unsigned long long *__restrict__ letters, int *__restrict__ distance, int length, int n, int m) {
  __shared__ unsigned long long peq[32];
  if (threadIdx.x < 32) peq[threadIdx.x] = letters[threadIdx.x] * 0x9e3779b97f4a7c15ull;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long pv = ~0ull, mv = 0, last = 1ull << (m - 1);
  int score = m;
  for (int k = 0; k < length; k++) {
    unsigned long long eq = peq[text[(size_t)k * n + i] & 31], xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq, ph = mv | ~(xh | pv), mh = pv & xh;
    if (ph & last) score++;
    if (mh & last) score--;
    ph = ph << 1 | 1; mh <<= 1;
    pv = mh | ~(xv | ph); mv = ph & xv;
  }
  distance[i] = score;
}

// how often patterns occur, by steps back through an index: counts before a block, then bits within it
__global__ void index_search(const uint4 *__restrict__ block, const int *__restrict__ first, int *__restrict__ found, int patterns, int length, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= patterns) return;
  unsigned seed = p * 0x9e3779b1u + 1;
  int lo = 0, hi = n;
  for (int k = 0; k < length && lo < hi; k++) {
    seed = seed * 1664525u + 1013904223u;
    int c = seed >> 30;
    uint4 a = block[(lo >> 5) * 2 + (c >> 1)], b = block[(hi >> 5) * 2 + (c >> 1)];
    unsigned below = (1u << (lo & 31)) - 1, under = (1u << (hi & 31)) - 1;
    unsigned ma = c & 1 ? a.y : ~a.y, mb = c & 1 ? b.y : ~b.y;
    int ra = (a.x * 2654435761u >> 8) + __popc(ma & a.z & below), rb = (b.x * 2246822519u >> 8) + __popc(mb & b.z & under);
    lo = (first[c] + ra) % n;
    hi = min(lo + 1 + rb % (n / 4), n);
  }
  found[p] = hi - lo;
}

// common elements of pairs of sorted lists, a warp for each pair, by bisection
__global__ void common_elements(const int *__restrict__ list, int *__restrict__ common, int pairs, int length) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= pairs) return;
  int start = warp * 37 % 65536, other = warp * 101 % 65536;
  const int *a = list + start, *b = list + other;
  int n = 0;
  for (int i = lane; i < length; i += 32) {
    int wanted = a[i], lo = 0, hi = length;
    while (lo < hi) {
      int mid = (lo + hi) >> 1;
      if (b[mid] < wanted) lo = mid + 1; else hi = mid;
    }
    if (lo < length && b[lo] == wanted) n++;
  }
  n = __reduce_add_sync(0xffffffffu, n);
  if (lane == 0) common[warp] = n;
}

// runs of hexadecimal digits as numbers, sixteen bytes at once, with a mark where a byte is none
__global__ void from_hex(const uint4 *__restrict__ text, unsigned long long *__restrict__ value, unsigned char *__restrict__ wrong, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint4 t = text[i];
  unsigned w[4] = {t.x, t.y, t.z, t.w};
  unsigned long long v = 0;
  bool bad = false;
  for (int k = 0; k < 4; k++)
    for (int b = 0; b < 4; b++) {
      unsigned c = w[k] >> 8 * b & 255, d = c - '0', l = (c | 32) - 'a';
      unsigned digit = d < 10 ? d : l + 10;
      bad |= d >= 10 && l >= 6;
      v = v << 4 | (digit & 15);
    }
  value[i] = v;
  wrong[i] = bad;
}
