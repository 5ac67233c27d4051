#include <stdint.h>
// a code of constraint 7 decoded: 64 states of a block, a bit for each decision
__global__ void viterbi(const int8_t *__restrict__ soft, unsigned long long *__restrict__ decision, int steps) {
  __shared__ int metric[2][64];
  int s = threadIdx.x, now = 0;
  metric[0][s] = s ? 1000 : 0;
  int p0 = s >> 1, p1 = p0 | 32;
  int e0 = __popc((p0 << 1 | (s & 1)) & 0x6d) & 1, f0 = __popc((p0 << 1 | (s & 1)) & 0x4f) & 1;
  int e1 = __popc((p1 << 1 | (s & 1)) & 0x6d) & 1, f1 = __popc((p1 << 1 | (s & 1)) & 0x4f) & 1;
  const int8_t *in = soft + (size_t)blockIdx.x * steps * 2;
  unsigned *out = (unsigned *)(decision + (size_t)blockIdx.x * steps);
  __syncthreads();
  for (int t = 0; t < steps; t++) {
    int a = in[2 * t], b = in[2 * t + 1];
    int m0 = metric[now][p0] + (e0 ? a : -a) + (f0 ? b : -b), m1 = metric[now][p1] + (e1 ? a : -a) + (f1 ? b : -b);
    bool second = m1 < m0;
    metric[now ^ 1][s] = second ? m1 : m0;
    unsigned vote = __ballot_sync(~0u, second);
    if ((s & 31) == 0) out[2 * t + s / 32] = vote;
    now ^= 1;
    __syncthreads();
  }
}

// power at a few tones by Goertzel, a thread for each tone and channel
__global__ void goertzel(const float *__restrict__ x, const float *__restrict__ coefficient, float *__restrict__ power, int channels, int samples) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, tone = blockIdx.y;
  if (c >= channels) return;
  float k = coefficient[tone], s1 = 0, s2 = 0;
  for (int t = 0; t < samples; t++) {
    float s = x[(size_t)t * channels + c] + k * s1 - s2;
    s2 = s1;
    s1 = s;
  }
  power[tone * channels + c] = s1 * s1 + s2 * s2 - k * s1 * s2;
}

// warping of time between series of 128: a diagonal at a time, a thread for each row
__global__ void warp_time(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out) {
  __shared__ float d[3][129], sb[128];
  int i = threadIdx.x;
  float mine = a[blockIdx.x * 128 + i];
  sb[i] = b[blockIdx.x * 128 + i];
  for (int k = 0; k < 3; k++) d[k][i + 1] = 1e30f;
  if (i == 0) { d[0][0] = 0; d[1][0] = 1e30f; d[2][0] = 1e30f; }
  __syncthreads();
  int last = 1, before = 0, now = 2;
  for (int g = 0; g < 255; g++) {
    int j = g - i;
    float v = 1e30f;
    if (j >= 0 && j < 128) {
      float c = mine - sb[j], corner = i == 0 ? (j == 0 ? 0.f : 1e30f) : d[before][i];
      v = c * c + fminf(corner, fminf(d[last][i], d[last][i + 1]));
    }
    d[now][i + 1] = v;
    __syncthreads();
    int t = before; before = last; last = now; now = t;
  }
  if (i == 127) out[blockIdx.x] = d[last][128];
}

// periods of a star's light: sums of a series at each frequency
__global__ void periodogram(const float2 *__restrict__ seen, float *__restrict__ power, int n, float step) {
  __shared__ float2 tile[256];
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  float w = (f + 1) * step, c = 0, s = 0, cc = 0, cs = 0;
  for (int t0 = 0; t0 < n; t0 += 256) {
    tile[threadIdx.x] = seen[t0 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      float sn, cn, turns = tile[k].x * w;
      turns -= floorf(turns);
      __sincosf(turns * 6.2831853f, &sn, &cn);
      c += tile[k].y * cn;
      s += tile[k].y * sn;
      cc += cn * cn;
      cs += cn * sn;
    }
    __syncthreads();
  }
  power[f] = c * c / cc + s * s / (n - cc) - cs * 1e-9f;
}

// pulses behind dispersion: channels added with the delay of each trial
__global__ void dedisperse(const float *__restrict__ data, const int *__restrict__ delay, float *__restrict__ out, int samples, int channels, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
  if (t >= width) return;
  const int *d = delay + trial * channels;
  float s = 0;
  for (int c = 0; c < channels; c++) s += data[(size_t)c * samples + t + d[c]];
  out[(size_t)trial * width + t] = s;
}
