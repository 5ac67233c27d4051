// --local 64 --global n --assume n>0
// What libraries that are not found declare: numbers of 16 bits that are computed with as float, vectors and matrices of glm; words of compilers; integers packed in words.
#include <ATen/ATen.h>
#include <glm/glm.hpp>
#include <glm/gtc/type_ptr.hpp>
struct Scaled {
  float v;
  __device__ Scaled() {}
  __device__ Scaled(float x) : v(2 * x) {}
};
template <class T> __device__ T squared(const T *x, int i) {
  using acc = at::acc_type<T, true>;
  acc v = static_cast<acc>(x[i]);
  return static_cast<T>(v * v);
}
__global__ C10_LAUNCH_BOUNDS_1(64) void k(at::Half *h, c10::BFloat16 *b, float *y, unsigned *u, glm::vec3 *p, const float *m, Scaled *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!__builtin_expect(i < n, 1)) return;
  h[i] = squared(h, i) + h[i];
  b[i] = h[i] * 0.5f;
  b[i] += 1.0f;
  gpuAtomicAdd(&y[i / C10_WARP_SIZE], WARP_SHFL_DOWN(y[i], 1));
  u[i] = __vadd4(u[i], 3u) + __vimax3_s32(u[i], 2, 1) + __viaddmax_s32_relu(u[i], 1, 2) + __builtin_popcount(u[i]);
  glm::mat3 w = glm::mat3(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]);
  glm::vec3 q = glm::transpose(w) * p[i];
  p[i] = glm::max(q, 0.0f) + 0.5f * q;
  y[i] = (int((__float_as_uint(y[i]) >> 4))) + __builtin_fabsf(q[1]);
  Scaled c = y[i];
  s[i] = c;
  s[i] = (Scaled)y[i];
}
