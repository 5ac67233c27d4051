// a sparse matrix in slices of 32 rows, columns of a slice together
__global__ void sell(const int *__restrict__ start, const int *__restrict__ col, const double *__restrict__ val, const double *__restrict__ x, double *__restrict__ y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, s = r / 32, lane = r % 32;
  if (r >= rows) return;
  double sum = 0;
  for (int k = start[s] + lane; k < start[s + 1]; k += 32) sum += val[k] * x[col[k]];
  y[r] = sum;
}

// Cholesky factors of 16 by 16 matrices, two in a warp's half each, columns in shared memory
__global__ void cholesky16(const float *__restrict__ a, float *__restrict__ l, int n) {
  __shared__ float m[8][16][17];
  int g = threadIdx.x / 16, lane = threadIdx.x % 16, i = blockIdx.x * 8 + g;
  for (int r = 0; r < 16; r++) m[g][r][lane] = a[((size_t)i * 16 + r) * 16 + lane] + (r == lane ? 32.f : 0.f);
  __syncwarp();
  for (int k = 0; k < 16; k++) {
    float d = sqrtf(m[g][k][k]);
    __syncwarp();
    float c = lane == k ? d : m[g][lane][k] / d;
    if (lane >= k) m[g][lane][k] = c;
    __syncwarp();
    for (int j = k + 1; j < 16; j++)
      if (lane >= j) m[g][lane][j] -= m[g][lane][k] * m[g][j][k];
    __syncwarp();
  }
  for (int r = 0; r < 16; r++) l[((size_t)i * 16 + r) * 16 + lane] = lane <= r ? m[g][r][lane] : 0.f;
}

// derivatives of spectral elements of 8 by 8 by 8: planes in shared memory
__global__ void spectral8(const float *__restrict__ u, const float *__restrict__ d, float *__restrict__ out) {
  __shared__ float s[512], dm[64];
  int t = threadIdx.x, i = t % 8, j = t / 8 % 8, e = blockIdx.x;
  if (t < 64) dm[t] = d[t];
  for (int k = t; k < 512; k += 64) s[k] = u[(size_t)e * 512 + k];
  __syncthreads();
  float column[8];
#pragma unroll
  for (int k = 0; k < 8; k++) column[k] = s[k * 64 + j * 8 + i];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float a = 0, b = 0, c = 0;
#pragma unroll
    for (int m = 0; m < 8; m++) {
      a += dm[i * 8 + m] * s[k * 64 + j * 8 + m];
      b += dm[j * 8 + m] * s[k * 64 + m * 8 + i];
      c += dm[k * 8 + m] * column[m];
    }
    out[(size_t)e * 512 + k * 64 + j * 8 + i] = a * a + b * b + c * c;
  }
}

// a gate on one qubit of a state of many
__global__ void gate(float2 *__restrict__ psi, float4 top, float4 bottom, int qubit, long long pairs) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  long long low = i & ((1ll << qubit) - 1), at = (i >> qubit << (qubit + 1)) | low, other = at | 1ll << qubit;
  float2 a = psi[at], b = psi[other];
  psi[at] = make_float2(top.x * a.x - top.y * a.y + top.z * b.x - top.w * b.y, top.x * a.y + top.y * a.x + top.z * b.y + top.w * b.x);
  psi[other] = make_float2(bottom.x * a.x - bottom.y * a.y + bottom.z * b.x - bottom.w * b.y, bottom.x * a.y + bottom.y * a.x + bottom.z * b.y + bottom.w * b.x);
}

// scaling of rows in transport of mass: u = a / (K v), a block for each row
__global__ void sinkhorn(const float *__restrict__ k, const float *__restrict__ v, const float *__restrict__ a, float *__restrict__ u, int n) {
  __shared__ float part[8];
  float s = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x) s += k[(size_t)blockIdx.x * n + j] * v[j];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) s += part[w];
    u[blockIdx.x] = a[blockIdx.x] / s;
  }
}
