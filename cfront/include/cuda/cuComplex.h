// Complex numbers with the operations that cuComplex.h of CUDA 12 executes: the divisor is scaled by its size before it is divided by, and a modulus is that of the
// quotient of the parts. Float and double are instances of the same templates.
#pragma once
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

template <class C, class T> __device__ inline C complex_of(T real, T imaginary) {
  C z;
  z.x = real;
  z.y = imaginary;
  return z;
}
template <class C, class T> __device__ inline C complex_product(C p, C q) {
  return complex_of<C, T>(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}
template <class C, class T> __device__ inline C complex_quotient(C p, C q, T size) {
  T scale = (T)1 / size;
  T px = p.x * scale, py = p.y * scale, qx = q.x * scale, qy = q.y * scale;
  T inverse = (T)1 / (qx * qx + qy * qy);
  return complex_of<C, T>((px * qx + py * qy) * inverse, (py * qx - px * qy) * inverse);
}
template <class C, class T> __device__ inline C complex_fma(C p, C q, C r) {
  return complex_of<C, T>(p.x * q.x + r.x - p.y * q.y, p.y * q.x + (p.x * q.y + r.y));
}

__device__ inline float cuCrealf(cuFloatComplex z) { return z.x; }
__device__ inline float cuCimagf(cuFloatComplex z) { return z.y; }
__device__ inline double cuCreal(cuDoubleComplex z) { return z.x; }
__device__ inline double cuCimag(cuDoubleComplex z) { return z.y; }
__device__ inline cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
__device__ inline cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
__device__ inline cuComplex make_cuComplex(float r, float i) { return make_float2(r, i); }
__device__ inline cuFloatComplex cuConjf(cuFloatComplex z) { return make_float2(z.x, -z.y); }
__device__ inline cuDoubleComplex cuConj(cuDoubleComplex z) { return make_double2(z.x, -z.y); }
__device__ inline cuFloatComplex cuCaddf(cuFloatComplex p, cuFloatComplex q) { return make_float2(p.x + q.x, p.y + q.y); }
__device__ inline cuDoubleComplex cuCadd(cuDoubleComplex p, cuDoubleComplex q) { return make_double2(p.x + q.x, p.y + q.y); }
__device__ inline cuFloatComplex cuCsubf(cuFloatComplex p, cuFloatComplex q) { return make_float2(p.x - q.x, p.y - q.y); }
__device__ inline cuDoubleComplex cuCsub(cuDoubleComplex p, cuDoubleComplex q) { return make_double2(p.x - q.x, p.y - q.y); }
__device__ inline cuFloatComplex cuCmulf(cuFloatComplex p, cuFloatComplex q) { return complex_product<float2, float>(p, q); }
__device__ inline cuDoubleComplex cuCmul(cuDoubleComplex p, cuDoubleComplex q) { return complex_product<double2, double>(p, q); }
__device__ inline cuFloatComplex cuCdivf(cuFloatComplex p, cuFloatComplex q) { return complex_quotient<float2, float>(p, q, fabsf(q.x) + fabsf(q.y)); }
__device__ inline cuDoubleComplex cuCdiv(cuDoubleComplex p, cuDoubleComplex q) { return complex_quotient<double2, double>(p, q, fabs(q.x) + fabs(q.y)); }
__device__ inline cuComplex cuCfmaf(cuComplex p, cuComplex q, cuComplex r) { return complex_fma<float2, float>(p, q, r); }
__device__ inline cuDoubleComplex cuCfma(cuDoubleComplex p, cuDoubleComplex q, cuDoubleComplex r) { return complex_fma<double2, double>(p, q, r); }
__device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_double2((double)z.x, (double)z.y); }
__device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_float2((float)z.x, (float)z.y); }

// The modulus: the larger part times that of 1 and the quotient; the sum of both where the larger is 0 or one is infinite.
__device__ inline float cuCabsf(cuFloatComplex z) {
  float p = fabsf(z.x), q = fabsf(z.y), larger = q, smaller = p;
  if (p > q) {
    larger = p;
    smaller = q;
  }
  float ratio = smaller / larger, modulus = larger * sqrtf(1.0f + ratio * ratio);
  return larger == 0.0f || larger > 0x1.fffffep127f || smaller > 0x1.fffffep127f ? larger + smaller : modulus;
}
__device__ inline double cuCabs(cuDoubleComplex z) {
  double p = fabs(z.x), q = fabs(z.y), larger = q, smaller = p;
  if (p > q) {
    larger = p;
    smaller = q;
  }
  double ratio = smaller / larger, modulus = larger * sqrt(1.0 + ratio * ratio);
  return larger == 0.0 || larger > 0x1.fffffffffffffp1023 || smaller > 0x1.fffffffffffffp1023 ? larger + smaller : modulus;
}
