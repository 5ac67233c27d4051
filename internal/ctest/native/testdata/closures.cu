// --local 32 --global n
template <class F> __device__ void each(int n, F f) {
  for (int k = threadIdx.x; k < n; k += 32) f(k);
}
template <class F> __device__ float fold(F f, float x) { return f(x, 2.0f); }
__global__ void closures(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i];
  auto scale = [=](int k) { y[k] = a * x[k]; };
  a = 0;
  each(n, scale);
  auto both = [&](int k) {
    scale(k);
    y[k] += a;
  };
  each(n / 2, both);
  each(n, [=](int k) { y[k] -= 1.0f; });
  y[i] = fold([](float p, float q) { return p + q; }, x[i]);
  float w[4] = {1, 2, 3, 4}, s = 0;
  for (float v : w) s += v;
  for (auto &v : w) v *= 2;
  for (int k : {1, 2, 5}) s += x[i + k];
  y[i] += s + w[3];
}
