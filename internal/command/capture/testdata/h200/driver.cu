// An application of CUDA's driver, whose capture is recorded in driver/: two modules with a kernel of one name, one from PTX; a kernel
// of a library; arguments one by one and in one piece. To record it again, with the library that perf has compiled:
//
//     nvcc -arch=sm_90 -o driver driver.cu -lcuda
//     nvcc -arch=sm_90 -ptx one.cu
//     nvcc -arch=sm_90 -cubin two.cu
//     CUDA_INJECTION64_PATH=.../cuda.so PERF_CAPTURE_FOLDER=$PWD/driver-journal PERF_CAPTURE_CONTENTS=100000 ./driver one.ptx two.cubin
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

static void ok(CUresult status) {
  const char *text;
  if (status == CUDA_SUCCESS) return;
  cuGetErrorString(status, &text);
  printf("%s\n", text);
  exit(1);
}

static char *contents(const char *path) {
  FILE *f = fopen(path, "rb");
  char *all = (char *)calloc(1, 1 << 20);
  if (!f || fread(all, 1, (1 << 20) - 1, f) == 0) exit(1);
  fclose(f);
  return all;
}

int main(int, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule one, two;
  CUlibrary library;
  CUkernel third;
  CUfunction first, second, other;
  CUdeviceptr x, y;
  size_t pitch;
  int n = 1024;
  float a = 3;
  ok(cuInit(0));
  ok(cuDeviceGet(&device, 0));
  ok(cuDevicePrimaryCtxRetain(&context, device));
  ok(cuCtxSetCurrent(context));
  ok(cuModuleLoadData(&one, contents(argv[1])));
  ok(cuModuleLoadData(&two, contents(argv[2])));
  ok(cuLibraryLoadData(&library, contents(argv[2]), 0, 0, 0, 0, 0, 0));
  ok(cuModuleGetFunction(&first, one, "scale"));
  ok(cuModuleGetFunction(&second, two, "scale"));
  ok(cuModuleGetFunction(&other, one, "other"));
  ok(cuLibraryGetKernel(&third, library, "third"));
  ok(cuMemAlloc(&x, n * sizeof(float)));
  ok(cuMemAllocPitch(&y, &pitch, 1000, 8, 4));
  ok(cuMemsetD32(x, 0x3f800000, n));
  ok(cuMemsetD8(y, 0, 8 * pitch));

  void *args[] = {&x, &a, &n};
  ok(cuLaunchKernel(second, n / 256, 1, 1, 256, 1, 1, 0, 0, args, 0));
  ok(cuLaunchKernel(first, n / 256, 1, 1, 256, 1, 1, 0, 0, args, 0));
  struct {
    CUdeviceptr y;
    int rows;
    float b;
    long long pitch;
  } packed = {y + 64, 8, 0.25f, (long long)pitch};
  size_t size = sizeof packed;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  ok(cuLaunchKernel(other, 2, 8, 1, 64, 1, 1, 0, 0, 0, extra));
  ok(cuLaunchKernel((CUfunction)third, n / 256, 1, 1, 256, 1, 1, 0, 0, args, 0));
  ok(cuCtxSynchronize());
  float result;
  ok(cuMemcpyDtoH(&result, x, sizeof result));
  printf("%g\n", result);
}
