// check nodes of an LDPC code by the least and the second least magnitude; bits of a check lie a circulant apart
__global__ void ldpc_check(const signed char *__restrict__ soft, const int *__restrict__ shift, signed char *__restrict__ message, int lift, int words) {
  int z = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, word = blockIdx.z;
  if (z >= lift) return;
  const signed char *in = soft + (size_t)word * 24 * lift;
  int least = 127, second = 127, where = 0, signs = 0;
  int bit[7];
#pragma unroll
  for (int k = 0; k < 7; k++) {
    int at = z + shift[row * 7 + k];
    if (at >= lift) at -= lift;
    bit[k] = in[((row * 5 + k * 3) % 24) * lift + at];
    int m = abs(bit[k]);
    signs ^= bit[k];
    if (m < least) { second = least; least = m; where = k; } else if (m < second) second = m;
  }
  least = max(least - 1, 0); second = max(second - 1, 0);
#pragma unroll
  for (int k = 0; k < 7; k++) {
    int m = k == where ? second : least;
    message[(((size_t)word * gridDim.y + row) * 7 + k) * lift + z] = (signs ^ bit[k]) < 0 ? -m : m;
  }
}

// frequency modulation: phase differences of neighbouring samples, then a sum over ten, then de-emphasis within the ten
__global__ void fm_audio(const float2 *__restrict__ iq, float *__restrict__ audio, int n, float gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 last = iq[i * 10];
  float sum = 0.f, low = 0.f;
  for (int k = 1; k <= 10; k++) {
    float2 s = iq[i * 10 + k];
    float re = s.x * last.x + s.y * last.y, im = s.y * last.x - s.x * last.y;
    float d = atan2f(im, re);
    low += 0.3f * (d - low);
    sum += low;
    last = s;
  }
  audio[i] = sum * gain;
}

// adaptive filters of 16 taps, one channel for each thread, taps and history in registers
__global__ void lms16(const float *__restrict__ x, const float *__restrict__ wanted, float *__restrict__ error, int frames, int channels, float mu) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float w[16], h[16];
  for (int k = 0; k < 16; k++) w[k] = h[k] = 0.f;
  for (int t = 0; t < frames; t++) {
    for (int k = 15; k > 0; k--) h[k] = h[k - 1];
    h[0] = x[(size_t)t * channels + c];
    float y = 0.f, p = 1e-3f;
    for (int k = 0; k < 16; k++) { y = fmaf(w[k], h[k], y); p = fmaf(h[k], h[k], p); }
    float e = wanted[(size_t)t * channels + c] - y, g = mu * e / p;
    for (int k = 0; k < 16; k++) w[k] = fmaf(g, h[k], w[k]);
    error[(size_t)t * channels + c] = e;
  }
}

// linear prediction of order 12 by Levinson and Durbin, one frame for each thread
__global__ void levinson(const float *__restrict__ correlation, float *__restrict__ predictor, float *__restrict__ gain, int frames) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= frames) return;
  float r[13], a[13];
#pragma unroll
  for (int k = 0; k <= 12; k++) r[k] = correlation[k * frames + f] / (1.f + 0.2f * k);
  float e = r[0] * 1.001f + 2.f;
  a[0] = 1.f;
#pragma unroll
  for (int i = 1; i <= 12; i++) {
    float sum = r[i];
#pragma unroll
    for (int j = 1; j < i; j++) sum += a[j] * r[i - j];
    float k = -sum / e;
#pragma unroll
    for (int j = 1; j <= i / 2; j++) {
      float t = a[j] + k * a[i - j];
      if (j != i - j) a[i - j] += k * a[j];
      a[j] = t;
    }
    a[i] = k;
    e *= 1.f - k * k;
  }
#pragma unroll
  for (int k = 1; k <= 12; k++) predictor[(k - 1) * frames + f] = a[k];
  gain[f] = sqrtf(fmaxf(e, 0.f));
}
