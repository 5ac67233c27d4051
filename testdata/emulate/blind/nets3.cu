// gradients of a layer norm: a row for each warp
__global__ void norm_back(const float *__restrict__ x, const float *__restrict__ grad, const float *__restrict__ gain, float *__restrict__ dx, int rows, int width) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  const float *xr = x + (size_t)row * width, *gr = grad + (size_t)row * width;
  float sum = 0, square = 0;
  for (int i = lane; i < width; i += 32) { float v = xr[i]; sum += v; square += v * v; }
  for (int d = 16; d; d >>= 1) { sum += __shfl_xor_sync(~0u, sum, d); square += __shfl_xor_sync(~0u, square, d); }
  float mean = sum / width, inv = rsqrtf(square / width - mean * mean + 1e-5f), a = 0, b = 0;
  for (int i = lane; i < width; i += 32) { float g = gr[i] * gain[i]; a += g; b += g * (xr[i] - mean) * inv; }
  for (int d = 16; d; d >>= 1) { a += __shfl_xor_sync(~0u, a, d); b += __shfl_xor_sync(~0u, b, d); }
  a /= width; b /= width;
  for (int i = lane; i < width; i += 32) dx[(size_t)row * width + i] = inv * (gr[i] * gain[i] - a - b * (xr[i] - mean) * inv);
}

// a step of Adam with decay of weights, four weights at a time
__global__ void adamw(float4 *__restrict__ w, const float4 *__restrict__ g, float4 *__restrict__ m, float4 *__restrict__ v, float rate, float b1, float b2, float decay, int step, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  float c1 = 1.f / (1.f - powf(b1, (float)step)), c2 = 1.f / (1.f - powf(b2, (float)step));
  float4 p = w[i], q = g[i], a = m[i], s = v[i];
  float *pp = &p.x, *qq = &q.x, *aa = &a.x, *ss = &s.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    aa[k] = b1 * aa[k] + (1.f - b1) * qq[k];
    ss[k] = b2 * ss[k] + (1.f - b2) * qq[k] * qq[k];
    pp[k] -= rate * (aa[k] * c1 / (sqrtf(ss[k] * c2) + 1e-8f) + decay * pp[k]);
  }
  w[i] = p; m[i] = a; v[i] = s;
}

// the two best of sixteen experts of each token, with their weights
__global__ void best_two(const float *__restrict__ logit, int2 *__restrict__ which, float2 *__restrict__ weight, int *__restrict__ load, int tokens) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tokens) return;
  float v[16], most = -1e30f, sum = 0;
  for (int e = 0; e < 16; e++) { v[e] = logit[(size_t)e * tokens + t] * 4.f; most = fmaxf(most, v[e]); }
  for (int e = 0; e < 16; e++) { v[e] = __expf(v[e] - most); sum += v[e]; }
  int a = 0, b = -1;
  for (int e = 1; e < 16; e++) if (v[e] > v[a]) a = e;
  for (int e = 0; e < 16; e++) if (e != a && (b < 0 || v[e] > v[b])) b = e;
  float p = v[a] / sum, q = v[b] / sum;
  which[t] = make_int2(a, b);
  weight[t] = make_float2(p / (p + q), q / (p + q));
  atomicAdd(&load[a], 1);
  atomicAdd(&load[b], 1);
}

// gradients of a maximum over windows of three by three at steps of two
__global__ void pool_back(const float *__restrict__ x, const float *__restrict__ grad, float *__restrict__ dx, int w, int h) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z, ow = w / 2, oh = h / 2;
  if (ox >= ow || oy >= oh) return;
  const float *in = x + (size_t)plane * w * h;
  float best = -1e30f;
  int at = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      int px = 2 * ox + i - 1, py = 2 * oy + j - 1;
      if (px < 0 || py < 0 || px >= w || py >= h) continue;
      float v = in[py * w + px];
      if (v > best) { best = v; at = py * w + px; }
    }
  atomicAdd(&dx[(size_t)plane * w * h + at], grad[((size_t)plane * oh + oy) * ow + ox]);
}

// a convolution of three by three from 16 to 16 channels, eight outputs for each thread
__global__ void conv16to16(const float *__restrict__ in, const float *__restrict__ k, float *__restrict__ out, int w, int h) {
  __shared__ float kern[16 * 9 * 8];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, group = blockIdx.z, t = threadIdx.y * 32 + threadIdx.x;
  for (int i = t; i < 16 * 9 * 8; i += 256) kern[i] = k[group * 16 * 9 * 8 + i];
  __syncthreads();
  float sum[8] = {0};
  for (int c = 0; c < 16; c++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) {
        int px = x + i - 1, py = y + j - 1;
        float v = px >= 0 && px < w && py >= 0 && py < h ? in[((size_t)c * h + py) * w + px] : 0.f;
#pragma unroll
        for (int o = 0; o < 8; o++) sum[o] += v * kern[(c * 9 + j * 3 + i) * 8 + o];
      }
  for (int o = 0; o < 8; o++) out[((size_t)(group * 8 + o) * h + y) * w + x] = fmaxf(sum[o], 0.f);
}

// means of bags of rows of a table
__global__ void bags(const float4 *__restrict__ table, float4 *__restrict__ mean, int each, int rows, int width4) {
  int b = blockIdx.x, c = threadIdx.x;
  float4 s = make_float4(0, 0, 0, 0);
  for (int k = 0; k < each; k++) {
    unsigned r = (b * 977u + k * k * 12289u) % (unsigned)rows;
    float4 v = table[(size_t)r * width4 + c];
    s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w;
  }
  float f = 1.f / each;
  mean[(size_t)b * width4 + c] = make_float4(s.x * f, s.y * f, s.z * f, s.w * f);
}

// a loss of two classes in all rows, summed in float64
__global__ void logistic_loss(const float *__restrict__ score, const unsigned char *__restrict__ label, double *__restrict__ loss, int n) {
  __shared__ double part[8];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = label[i] & 1 ? score[i] : -score[i];
    sum += fmaxf(-s, 0.f) + log1pf(expf(-fabsf(s)));
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) sum += part[w];
    atomicAdd(loss, sum);
  }
}
