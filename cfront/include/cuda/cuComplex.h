// Complex numbers as cuComplex.h of CUDA 12 computes them.
#pragma once
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
__device__ inline float cuCrealf(cuFloatComplex x) { return x.x; }
__device__ inline float cuCimagf(cuFloatComplex x) { return x.y; }
__device__ inline double cuCreal(cuDoubleComplex x) { return x.x; }
__device__ inline double cuCimag(cuDoubleComplex x) { return x.y; }
__device__ inline cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
__device__ inline cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
__device__ inline cuComplex make_cuComplex(float r, float i) { return make_float2(r, i); }
__device__ inline cuFloatComplex cuConjf(cuFloatComplex x) { return make_float2(x.x, -x.y); }
__device__ inline cuDoubleComplex cuConj(cuDoubleComplex x) { return make_double2(x.x, -x.y); }
__device__ inline cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x + y.x, x.y + y.y); }
__device__ inline cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x + y.x, x.y + y.y); }
__device__ inline cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x - y.x, x.y - y.y); }
__device__ inline cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x - y.x, x.y - y.y); }
__device__ inline cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) {
  return make_float2((x.x * y.x) - (x.y * y.y), (x.x * y.y) + (x.y * y.x));
}
__device__ inline cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) {
  return make_double2((x.x * y.x) - (x.y * y.y), (x.x * y.y) + (x.y * y.x));
}
__device__ inline cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
  float s = fabsf(y.x) + fabsf(y.y);
  float oos = 1.0f / s;
  float ars = x.x * oos, ais = x.y * oos, brs = y.x * oos, bis = y.y * oos;
  s = (brs * brs) + (bis * bis);
  oos = 1.0f / s;
  return make_float2(((ars * brs) + (ais * bis)) * oos, ((ais * brs) - (ars * bis)) * oos);
}
__device__ inline cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
  double s = fabs(y.x) + fabs(y.y);
  double oos = 1.0 / s;
  double ars = x.x * oos, ais = x.y * oos, brs = y.x * oos, bis = y.y * oos;
  s = (brs * brs) + (bis * bis);
  oos = 1.0 / s;
  return make_double2(((ars * brs) + (ais * bis)) * oos, ((ais * brs) - (ars * bis)) * oos);
}
__device__ inline float cuCabsf(cuFloatComplex x) {
  float a = fabsf(x.x), b = fabsf(x.y), v, w, t;
  if (a > b) {
    v = a;
    w = b;
  } else {
    v = b;
    w = a;
  }
  t = w / v;
  t = 1.0f + t * t;
  t = v * sqrtf(t);
  if ((v == 0.0f) || (v > 3.402823466e38f) || (w > 3.402823466e38f)) t = v + w;
  return t;
}
__device__ inline double cuCabs(cuDoubleComplex x) {
  double a = fabs(x.x), b = fabs(x.y), v, w, t;
  if (a > b) {
    v = a;
    w = b;
  } else {
    v = b;
    w = a;
  }
  t = w / v;
  t = 1.0 + t * t;
  t = v * sqrt(t);
  if ((v == 0.0) || (v > 1.79769313486231570e+308) || (w > 1.79769313486231570e+308)) t = v + w;
  return t;
}
__device__ inline cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
  float r = (x.x * y.x) + d.x;
  float i = (x.x * y.y) + d.y;
  r = -(x.y * y.y) + r;
  i = (x.y * y.x) + i;
  return make_float2(r, i);
}
__device__ inline cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  double r = (x.x * y.x) + d.x;
  double i = (x.x * y.y) + d.y;
  r = -(x.y * y.y) + r;
  i = (x.y * y.x) + i;
  return make_double2(r, i);
}
__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_double2((double)x.x, (double)x.y); }
__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) { return make_float2((float)x.x, (float)x.y); }
