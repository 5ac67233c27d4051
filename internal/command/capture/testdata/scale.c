/* An application under OpenCL, for the test: two kernels, one with a work-group size that it leaves to the driver and work-items that do not
   begin at 0, and with no memory for an argument, one with local memory and a vector type. What it needs of OpenCL is declared here. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *object;
int32_t clGetPlatformIDs(uint32_t, object *, uint32_t *);
int32_t clGetDeviceIDs(object, uint64_t, uint32_t, object *, uint32_t *);
object clCreateContext(void *, uint32_t, object *, void *, void *, int32_t *);
object clCreateCommandQueue(object, object, uint64_t, int32_t *);
object clCreateBuffer(object, uint64_t, size_t, void *, int32_t *);
object clCreateProgramWithSource(object, uint32_t, const char **, const size_t *, int32_t *);
int32_t clBuildProgram(object, uint32_t, const object *, const char *, void *, void *);
object clCreateKernel(object, const char *, int32_t *);
int32_t clSetKernelArg(object, uint32_t, size_t, const void *);
int32_t clEnqueueNDRangeKernel(object, object, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *, void *);
int32_t clEnqueueReadBuffer(object, object, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
int32_t clFinish(object);

static const char *source =
    "kernel void scale(global const float *x, global float *y, float factor, int n, global const float *bias) {\n"
    "  int i = get_global_id(0) - 64;\n"
    "  if (i < n) y[i] = FACTOR * factor * x[i] + (bias ? bias[i] : 0);\n"
    "}\n"
    "kernel void total(global const float4 *y, global float *sums, local float *part) {\n"
    "  float4 v = y[get_global_id(0)];\n"
    "  part[get_local_id(0)] = v.x + v.y + v.z + v.w;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_local_id(0) == 0) {\n"
    "    float all = 0;\n"
    "    for (size_t i = 0; i < get_local_size(0); i++) all += part[i];\n"
    "    sums[get_group_id(0)] = all;\n"
    "  }\n"
    "}\n";

int main(int argc, char **argv) {
  enum { n = 1000, items = 1024, groups = 4 };
  float x[items], sums[groups];
  for (int i = 0; i < items; i++) x[i] = i % 7;
  object platform, device, bias = NULL;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, 0xFFFFFFFF, 1, &device, NULL)) return 9;
  object context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL), queue = clCreateCommandQueue(context, device, 0, NULL);
  object a = clCreateBuffer(context, 1 << 5, sizeof x, x, NULL), b = clCreateBuffer(context, 1 << 5, sizeof x, x, NULL);
  object c = clCreateBuffer(context, 1, sizeof sums, NULL, NULL);
  object program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  if (clBuildProgram(program, 0, NULL, "-DFACTOR=2.0f", NULL, NULL)) return 8;
  object scale = clCreateKernel(program, "scale", NULL), total = clCreateKernel(program, "total", NULL);
  float factor = 0.5f;
  int count = n;
  size_t first = 64, global = items, quarter = items / 4, local = quarter / groups;
  for (int launch = 0; launch < 3; launch++) {
    clSetKernelArg(scale, 0, sizeof a, &a);
    clSetKernelArg(scale, 1, sizeof b, &b);
    clSetKernelArg(scale, 2, sizeof factor, &factor);
    clSetKernelArg(scale, 3, sizeof count, &count);
    clSetKernelArg(scale, 4, sizeof bias, &bias);
    if (clEnqueueNDRangeKernel(queue, scale, 1, &first, &global, NULL, 0, NULL, NULL)) return 7;
    factor *= -2;
  }
  clSetKernelArg(total, 0, sizeof b, &b);
  clSetKernelArg(total, 1, sizeof c, &c);
  clSetKernelArg(total, 2, local * sizeof(float), NULL);
  if (clEnqueueNDRangeKernel(queue, total, 1, NULL, &quarter, &local, 0, NULL, NULL)) return 6;
  clEnqueueReadBuffer(queue, c, 1, 0, sizeof sums, sums, 0, NULL, NULL);
  printf("%g\n", sums[0] + sums[1] + sums[2] + sums[3]);
  if (argc > 1 && strcmp(argv[1], "crash") == 0) abort();
  return argc > 1 ? atoi(argv[1]) : 0;
}
