// record SOURCE KERNEL CODES CONFIGURATIONS FOLDER SECONDS: compiles a kernel with each line of CODES (values of TX TY TZ UNROLL) by 16
// processes, and times it with each line of CONFIGURATIONS (number of the code, work-group, work-groups of the grid, places that a work-group
// goes on to: x y z each, and how often), as many as the seconds allow. FOLDER gets NUMBER.cubin and times.csv: the line, microseconds (the
// median between two events), the greatest relative difference from the result of the first configuration. 0 µs is what the device refuses.
#include <cuda.h>
#include <nvrtc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace std;

static string folder, kernel, text;
static auto began = chrono::steady_clock::now();
static double passed() { return chrono::duration<double>(chrono::steady_clock::now() - began).count(); }

static string read(const string &path) {
  ifstream f(path, ios::binary);
  stringstream s;
  s << f.rdbuf();
  return s.str();
}

static void need(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  const char *name = "";
  cuGetErrorName(r, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(1);
}

static string cubin(int code) { return folder + "/" + to_string(code) + ".cubin"; }

static void compile(int code, const vector<int> &v) {
  nvrtcProgram p;
  if (nvrtcCreateProgram(&p, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return;
  vector<string> o = {"-arch=sm_90", "-std=c++17", "-lineinfo", "-DTX=" + to_string(v[0]), "-DTY=" + to_string(v[1]), "-DTZ=" + to_string(v[2]), "-DUNROLL=" + to_string(v[3])};
  vector<const char *> list;
  for (auto &s : o) list.push_back(s.c_str());
  if (nvrtcCompileProgram(p, list.size(), list.data()) != NVRTC_SUCCESS) {
    size_t n = 0;
    nvrtcGetProgramLogSize(p, &n);
    string log(n, ' ');
    nvrtcGetProgramLog(p, &log[0]);
    fprintf(stderr, "code %d: %s\n", code, log.c_str());
    return;
  }
  size_t n = 0;
  nvrtcGetCUBINSize(p, &n);
  string out(n, ' ');
  nvrtcGetCUBIN(p, &out[0]);
  ofstream(cubin(code), ios::binary) << out;
  nvrtcDestroyProgram(&p);
}

static const char *compare = R"(
extern "C" __global__ void compare(const double *x, const double *y, unsigned long long *most, long long n) {
  double d = 0;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long) gridDim.x * blockDim.x) {
    double e = fabs(x[i] - y[i]) / (fabs(x[i]) + 1e-3);
    d = e <= 1e300 ? fmax(d, e) : 1e300;
  }
  atomicMax(most, __double_as_longlong(d));
}
extern "C" __global__ void start(double *x, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long) gridDim.x * blockDim.x) x[i] = (i * 2654435761ull >> 7 & 1023) / 1024.0;
}
)";

static CUmodule helpers() {
  nvrtcProgram p;
  nvrtcCreateProgram(&p, compare, "compare.cu", 0, nullptr, nullptr);
  const char *o[] = {"-arch=sm_90"};
  if (nvrtcCompileProgram(p, 1, o) != NVRTC_SUCCESS) exit((fprintf(stderr, "compare does not compile\n"), 1));
  size_t n = 0;
  nvrtcGetCUBINSize(p, &n);
  string out(n, ' ');
  nvrtcGetCUBIN(p, &out[0]);
  CUmodule m;
  need(cuModuleLoadData(&m, out.data()), "compare");
  return m;
}

struct Configuration { int code, block[3], grid[3], places[3], times; };

int main(int argc, char **argv) {
  if (argc < 7) return fprintf(stderr, "record SOURCE KERNEL CODES CONFIGURATIONS FOLDER SECONDS\n"), 2;
  text = read(argv[1]), kernel = argv[2], folder = argv[5];
  const double seconds = atof(argv[6]);
  vector<vector<int>> codes;
  ifstream list(argv[3]);
  for (vector<int> v(4); list >> v[0] >> v[1] >> v[2] >> v[3];) codes.push_back(v);
  const int workers = 16;
  for (int w = 0; w < workers; w++)
    if (fork() == 0) {
      // the largest codes come last in the list, and take longest
      for (int i = int(codes.size()) - 1 - w; i >= 0; i -= workers) compile(i, codes[i]);
      _exit(0);
    }
  while (wait(nullptr) > 0) {}
  fprintf(stderr, "%s: %zu codes compiled after %.1f s\n", kernel.c_str(), codes.size(), passed());

  CUdevice device;
  CUcontext context;
  need(cuInit(0), "init");
  need(cuDeviceGet(&device, 0), "device");
  need(cuDevicePrimaryCtxRetain(&context, device), "context");
  need(cuCtxSetCurrent(context), "context");
  CUmodule help = helpers();
  CUfunction differ, start;
  need(cuModuleGetFunction(&differ, help, "compare"), "compare");
  need(cuModuleGetFunction(&start, help, "start"), "start");
  vector<CUfunction> functions(codes.size(), nullptr);
  for (size_t i = 0; i < codes.size(); i++) {
    string image = read(cubin(i));
    CUmodule m;
    if (!image.empty() && cuModuleLoadData(&m, image.data()) == CUDA_SUCCESS && cuModuleGetFunction(&functions[i], m, kernel.c_str()) != CUDA_SUCCESS) functions[i] = nullptr;
  }
  const bool contraction = kernel == "contraction";
  long long n = contraction ? 8388608 : 264ll * 264 * 264, small = contraction ? 4096 : 1;
  CUdeviceptr x, b, y, first, most;
  need(cuMemAlloc(&x, n * 8), "memory");
  need(cuMemAlloc(&b, small * 8), "memory");
  need(cuMemAlloc(&y, n * 8), "memory");
  need(cuMemAlloc(&first, n * 8), "memory");
  need(cuMemAlloc(&most, 8), "memory");
  auto fill = [&](CUdeviceptr p, long long count) {
    void *args[] = {&p, &count};
    need(cuLaunchKernel(start, 1024, 1, 1, 256, 1, 1, 0, 0, args, nullptr), "start");
  };
  fill(x, n), fill(b, small);
  need(cuCtxSynchronize(), "start");
  CUevent from, to;
  need(cuEventCreate(&from, 0), "event");
  need(cuEventCreate(&to, 0), "event");
  FILE *out = fopen((folder + "/times.csv").c_str(), "w");
  ifstream configurations(argv[4]);
  long long done = 0;
  for (Configuration c; passed() < seconds; done++) {
    if (!(configurations >> c.code)) break;
    for (int *v : {c.block, c.grid, c.places})
      for (int d = 0; d < 3; d++) configurations >> v[d];
    configurations >> c.times;
    if (!functions[c.code]) {
      fprintf(out, "%lld,0,0\n", done);
      continue;
    }
    void *of_contraction[] = {&x, &b, &y, &c.places[0], &c.places[1], &c.places[2]}, *of_stencil[] = {&x, &y, &c.places[0], &c.places[1], &c.places[2]};
    auto run = [&] {
      return cuLaunchKernel(functions[c.code], c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2], 0, 0, contraction ? of_contraction : of_stencil, nullptr);
    };
    need(cuMemsetD8(y, done == 0 ? 0 : 0xff, n * 8), "memset");
    if (!contraction && done > 0) { // the margin is not written
      need(cuMemsetD8(y, 0, n * 8), "memset");
    }
    if (run() != CUDA_SUCCESS) {
      fprintf(out, "%lld,0,0\n", done);
      continue;
    }
    need(cuCtxSynchronize(), "run");
    unsigned long long worst = 0;
    if (done == 0) need(cuMemcpyDtoD(first, y, n * 8), "copy");
    need(cuMemcpyHtoD(most, &worst, 8), "copy");
    void *args[] = {&first, &y, &most, &n};
    need(cuLaunchKernel(differ, 1056, 1, 1, 256, 1, 1, 0, 0, args, nullptr), "compare");
    need(cuMemcpyDtoH(&worst, most, 8), "copy");
    double difference;
    static_assert(sizeof difference == sizeof worst, "");
    memcpy(&difference, &worst, 8);
    vector<float> us;
    for (int t = 0; t < c.times; t++) {
      cuEventRecord(from, 0);
      run();
      cuEventRecord(to, 0);
      cuEventSynchronize(to);
      float ms;
      cuEventElapsedTime(&ms, from, to);
      us.push_back(ms * 1000);
      if (ms > 1 && t >= 2) break;
    }
    sort(us.begin(), us.end());
    fprintf(out, "%lld,%.2f,%.1e\n", done, us[us.size() / 2], difference);
  }
  fclose(out);
  fprintf(stderr, "%s: %lld configurations after %.1f s\n", kernel.c_str(), done, passed());
}
