// a compressor of dynamic range on many channels: the level follows the loudness, one sample after the other
__global__ void compressor(const float *__restrict__ in, float *__restrict__ out, float threshold, float ratio, float attack, float release, int frames, int channels) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float level = 0.f;
  for (int f = 0; f < frames; f++) {
    float x = in[(size_t)f * channels + c];
    float db = 20.f * log10f(fabsf(x) + 1e-6f);
    float over = db > threshold ? (db - threshold) * (1.f - 1.f / ratio) : 0.f;
    level += (over > level ? attack : release) * (over - level);
    out[(size_t)f * channels + c] = x * exp10f(-0.05f * level);
  }
}

// decimation by 4 with a filter of 48 coefficients, a tile of samples in shared memory
__constant__ float taps[48];
__global__ void decimate(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float s[4 * 128 + 48];
  int base = blockIdx.x * 512;
  for (int i = threadIdx.x; i < 560; i += 128) s[i] = base + i < 4 * n ? x[base + i] : 0.f;
  __syncthreads();
  float a = 0;
#pragma unroll 8
  for (int k = 0; k < 48; k++) a += taps[k] * s[4 * threadIdx.x + k];
  int o = blockIdx.x * 128 + threadIdx.x;
  if (o < n) y[o] = a;
}

// the pitch of a frame: squared differences at each lag, then their running mean
__global__ void pitch(const float *__restrict__ x, float *__restrict__ best, int frames) {
  __shared__ float s[1024], d[256];
  int f = blockIdx.x, t = threadIdx.x;
  for (int i = t; i < 1024; i += 256) s[i] = x[(size_t)f * 512 + i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 768; i++) { float e = s[i] - s[i + t]; sum += e * e; }
  d[t] = sum;
  __syncthreads();
  if (t == 0) {
    float run = 0, least = 1e30f;
    int at = 1;
    for (int k = 1; k < 256; k++) {
      run += d[k];
      float v = d[k] * k / run;
      if (v < least) { least = v; at = k; }
    }
    best[f] = 48000.f / at;
  }
}

// loudness of the twelve notes of each frame of a spectrum
__global__ void chroma(const float2 *__restrict__ spectrum, float *__restrict__ notes, int bins) {
  __shared__ float sum[12];
  int f = blockIdx.x;
  if (threadIdx.x < 12) sum[threadIdx.x] = 0;
  __syncthreads();
  for (int k = threadIdx.x + 4; k < bins; k += blockDim.x) {
    float2 z = spectrum[(size_t)f * bins + k];
    float power = z.x * z.x + z.y * z.y;
    float note = 12.f * log2f(k * 0.0244140625f);
    int n = (int)rintf(note) % 12;
    if (n < 0) n += 12;
    atomicAdd(&sum[n], power);
  }
  __syncthreads();
  if (threadIdx.x < 12) notes[f * 12 + threadIdx.x] = sqrtf(sum[threadIdx.x]);
}
