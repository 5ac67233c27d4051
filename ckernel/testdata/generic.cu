// --local 64 --groups g
// Closures with parameters of any type: each call makes a function for the types of its arguments.
__global__ void generic(float *y, int *k, const float *x, const int *m, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float total = 0;
  auto twice = [](auto v) { return v + v; };
  auto join = [&](const auto &a, float scale, auto b) mutable -> float {
    total += a * scale;
    return b - a;
  };
  auto add = [&](auto by) {
    total += by;
  };
  y[i] = twice(x[i]) + join(x[i + 1], 2.0f, x[i + 2]);
  k[i] = twice(m[i]);
  add(0);
  add(m[i]);
  y[i + n] = total;
}
