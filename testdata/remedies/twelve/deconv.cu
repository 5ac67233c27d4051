// A transposed convolution of stride 4 of signals: each output tests all 16 taps, of which a quarter meet an input; afterwards it goes through those.
__global__ void before(const float *in, const float *w, float *out, int n, int channels) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < channels; c++)
    for (int k = 0; k < 16; k++) {
      int at = t - k;
      if (at >= 0 && at % 4 == 0)
        sum += in[c * n + at / 4] * w[c * 16 + k]; // defect: sum or in
    }
  out[t] = sum;
}

__global__ void after(const float *in, const float *w, float *out, int n, int channels) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int first = t & 3, from = t >> 2;
  float sum = 0.0f;
  for (int c = 0; c < channels; c++)
    for (int k = 0; k < 4; k++)
      if (from - k >= 0)
        sum += in[c * n + from - k] * w[c * 16 + first + 4 * k];
  out[t] = sum;
}
