// Runs the kernels of values.cu on random words and writes what they read and stored: in.bin (a, b, c) and NAME.bin for each kernel.
#include "values.cu"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static u64 state = 0x9e3779b97f4a7c15ull;
static u32 word() {
  u64 v = state += 0x9e3779b97f4a7c15ull;
  v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
  v = (v ^ v >> 27) * 0x94d049bb133111ebull;
  return (u32)((v ^ v >> 31) >> 16);
}
static u32 number(int i) {
  static const u32 odd[] = {0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x5f000000, 0x7c017bff, 0x00010400, 0x43e00000, 0xc3e00000, 0x7ff00000, 0x3ff00000, 0xbff80000, 0x41dfffff, 0x12345678};
  const u32 w = word();
  switch (i % 8) {
    case 0: return odd[w % 32];
    case 1: return w & 1023;
    case 2: return -(w & 1023);
    case 3: return (1u << (w & 31)) + (w >> 8 & 2) - 1;
    case 4: return 0x3f000000 + (w & 0x03ffffff); // near 1
    case 5: return (w & 0x80ffffff) | 0x40000000 + (w >> 25 << 23);
    default: return w;
  }
}

static void check(cudaError_t e, const char *what) {
  if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}
static void save(const std::string &path, const std::vector<u32> &v) {
  FILE *f = fopen(path.c_str(), "wb");
  if (!f || fwrite(v.data(), 4, v.size(), f) != v.size() || fclose(f)) { perror(path.c_str()); exit(1); }
}

int main(int argc, char **argv) {
  const int n = 256, slots = 160; // words of results for each work-item
  const std::string folder = argv[1];
  std::vector<u32> in(3 * n), out(slots * n);
  for (int i = 0; i < 3 * n; i++) in[i] = number(i * 5 + i / n);
  save(folder + "/in.bin", in);
  u32 *a, *r;
  check(cudaMalloc(&a, 12 * n), "malloc");
  check(cudaMalloc(&r, 4 * slots * n), "malloc");
  check(cudaMemcpy(a, in.data(), 12 * n, cudaMemcpyHostToDevice), "copy");
  struct { const char *name; void (*f)(const u32 *, const u32 *, const u32 *, u32 *, int); } kernels[] = {
    {"whole", whole}, {"logic", logic}, {"division", division}, {"longs", longs}, {"floats", floats}, {"doubles", doubles}, {"conversions", conversions},
    {"halves", halves},
#if !defined(__CUDA_ARCH_LIST__) || __CUDA_ARCH_LIST__ >= 900
    {"hopper", hopper},
#endif
    {"approximate", approximate}, {"control", control}, {"lanes", lanes}, {"shared", shared}, {"atomics", atomics},
  };
  check(cudaDeviceSetLimit(cudaLimitStackSize, 4096), "stack");
  for (auto &k : kernels) {
    check(cudaMemset(r, 0, 4 * slots * n), "memset");
    k.f<<<1, n, 4 * n>>>(a, a + n, a + 2 * n, r, n);
    check(cudaGetLastError(), k.name);
    check(cudaDeviceSynchronize(), k.name);
    check(cudaMemcpy(out.data(), r, 4 * slots * n, cudaMemcpyDeviceToHost), "copy back");
    save(folder + "/" + k.name + ".bin", out);
  }
  return 0;
}
