// vertical diffusion: an implicit step for each column by the algorithm of Thomas; levels lie apart by the columns
__global__ void vertical_diffusion(const float *__restrict__ k, const float *__restrict__ dz, float *__restrict__ t, float *__restrict__ work, float dt, int columns, int levels) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float below = 0.f, cp = 0.f, dp = 0.f;
  for (int l = 0; l < levels; l++) {
    int at = l * columns + c;
    float above = l + 1 < levels ? k[at + columns] : 0.f;
    float r = dt / (dz[l] * dz[l]);
    float a = -r * below, b = 1.f + r * (below + above), m = 1.f / (b - a * cp);
    cp = -r * above * m;
    dp = (t[at] - a * dp) * m;
    work[at] = cp;
    t[at] = dp;
    below = above;
  }
  float x = dp;
  for (int l = levels - 2; l >= 0; l--) {
    int at = l * columns + c;
    x = t[at] - work[at] * x;
    t[at] = x;
  }
}

// two streams of radiation through a column, by g-points: adding layers from the top
__global__ void two_stream(const float *__restrict__ depth, const float *__restrict__ albedo, float *__restrict__ up, int columns, int layers) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
  if (c >= columns) return;
  float reflect = 0.05f, source = 0.f;
  for (int l = 0; l < layers; l++) {
    size_t at = ((size_t)g * layers + l) * columns + c;
    float tau = depth[at], w = 0.6f * albedo[at];
    float g1 = 1.75f - w * 1.0625f, g2 = -(0.25f - w * 0.9375f), kk = sqrtf(fmaxf((g1 - g2) * (g1 + g2), 1e-6f));
    float e = expf(-2.f * kk * tau), d = 1.f / (kk * (1.f + e) + g1 * (1.f - e));
    float r = g2 * (1.f - e) * d, tr = 2.f * kk * expf(-kk * tau) * d, m = 1.f / (1.f - r * reflect);
    source = source * tr * m + (1.f - r - tr) * 0.3f;
    reflect = r + tr * tr * reflect * m;
  }
  up[(size_t)g * columns + c] = source + reflect;
}

// a sum of spherical harmonics of one order at each latitude: the recursion of Legendre in float64
__global__ void legendre(const double2 *__restrict__ spectrum, const double *__restrict__ mu, double2 *__restrict__ field, int degree, int latitudes) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
  if (j >= latitudes) return;
  double x = mu[j], s = sqrt(1.0 - x * x), p = 1.0;
  for (int i = 1; i <= m; i++) p *= s * sqrt((2.0 * i + 1.0) / (2.0 * i));
  double last = 0.0, re = 0.0, im = 0.0;
  const double2 *row = spectrum + (size_t)m * degree;
  for (int n = m; n < degree; n++) {
    double2 v = row[n];
    re += p * v.x;
    im += p * v.y;
    double a = sqrt((4.0 * (n + 1) * (n + 1) - 1.0) / ((double)(n + 1) * (n + 1) - (double)m * m));
    double b = sqrt(((double)n * n - (double)m * m) / (4.0 * n * n - 1.0 + (n == 0)));
    double next = a * (x * p - b * last);
    last = p;
    p = next;
  }
  field[(size_t)m * latitudes + j] = make_double2(re, im);
}

// the spectrum of waves of an ocean at a time: each wave turned, with its conjugate
__global__ void ocean_spectrum(const float4 *__restrict__ h0, float2 *__restrict__ h, float2 *__restrict__ dx, float t, float scale, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
  float kx = (x - n / 2) * scale, ky = (y - n / 2) * scale, k = sqrtf(kx * kx + ky * ky), w = sqrtf(9.81f * k), s, c;
  sincosf(w * t, &s, &c);
  float4 v = h0[i];
  float re = v.x * c - v.y * s + v.z * c + v.w * s, im = v.x * s + v.y * c - v.z * s + v.w * c;
  h[i] = make_float2(re, im);
  float inv = k > 1e-6f ? kx / k : 0.f;
  dx[i] = make_float2(im * inv, -re * inv);
}
