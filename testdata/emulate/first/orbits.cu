// Kepler's equation by Newton's steps, in double
__global__ void kepler(const double *__restrict__ mean, const double *__restrict__ ecc, double *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double m = mean[i], e = 0.5 * ecc[i], x = m;
  for (int k = 0; k < 4; k++) {
    double s, c;
    sincos(x, &s, &c);
    x -= (x - e * s - m) / (1.0 - e * c);
  }
  out[i] = x;
}

// Lorenz's equations by Runge and Kutta's fourth order, a start for each thread
struct State { double x, y, z; };
__device__ State slope(State s) { return {10.0 * (s.y - s.x), s.x * (28.0 - s.z) - s.y, s.x * s.y - 8.0 / 3.0 * s.z}; }
__device__ State move(State s, State d, double h) { return {s.x + h * d.x, s.y + h * d.y, s.z + h * d.z}; }
__global__ void lorenz(double *x, double *y, double *z, int n, int steps, double h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State s = {x[i], y[i], z[i]};
  for (int k = 0; k < steps; k++) {
    State a = slope(s), b = slope(move(s, a, 0.5 * h)), c = slope(move(s, b, 0.5 * h)), d = slope(move(s, c, h));
    s.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
    s.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
    s.z += h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
  }
  x[i] = s.x; y[i] = s.y; z[i] = s.z;
}

// sums of columns with Kahan's correction
__global__ void kahan(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float s = 0, lost = 0;
  for (int r = 0; r < rows; r++) {
    float v = in[(size_t)r * cols + c] - lost, t = s + v;
    lost = (t - s) - v;
    s = t;
  }
  out[c] = s;
}
