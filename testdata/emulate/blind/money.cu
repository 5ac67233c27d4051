// the yield of each bond by Newton's method, from its price, coupon and number of half years
__global__ void bond_yield(const float *__restrict__ price, const float *__restrict__ coupon, const int *__restrict__ periods, float *__restrict__ yield, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p = price[i], c = coupon[i] * 0.5f, y = 0.04f;
  int m = periods[i];
  for (int it = 0; it < 20; it++) {
    float v = 1.f / (1.f + 0.5f * y), d = 1.f, f = -p, df = 0.f;
    for (int k = 1; k <= m; k++) {
      d *= v;
      f += c * d;
      df -= 0.5f * k * c * d * v;
    }
    f += 100.f * d;
    df -= 50.f * m * d * v;
    float step = f / df;
    y -= step;
    if (fabsf(step) < 1e-6f) break;
  }
  yield[i] = y;
}

// implied volatilities of the SABR model by Hagan's formula, in double precision
__global__ void sabr(const double *__restrict__ strike, const double *__restrict__ params, double *__restrict__ vol, double forward, double expiry, int strikes, int surfaces) {
  int s = blockIdx.y, k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= strikes) return;
  double alpha = params[4 * s], beta = params[4 * s + 1], rho = params[4 * s + 2], nu = params[4 * s + 3], K = strike[k];
  double lfk = log(forward / K), b1 = 1 - beta, fk = pow(forward * K, 0.5 * b1);
  double z = nu / alpha * fk * lfk, x = log((sqrt(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho));
  double head = alpha / (fk * (1 + b1 * b1 / 24 * lfk * lfk + b1 * b1 * b1 * b1 / 1920 * lfk * lfk * lfk * lfk));
  double tail = 1 + (b1 * b1 / 24 * alpha * alpha / (fk * fk) + 0.25 * rho * beta * nu * alpha / fk + (2 - 3 * rho * rho) / 24 * nu * nu) * expiry;
  vol[(size_t)s * strikes + k] = head * (fabs(z) < 1e-8 ? 1.0 : z / x) * tail;
}
