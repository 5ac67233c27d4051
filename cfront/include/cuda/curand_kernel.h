// Random numbers of cuRAND (cuRAND 12, 3.3 and 3.5, device API), by the generators that it names: XORWOW (Marsaglia 2003) and Philox4x32-10 (Salmon et al. 2011), and
// normal ones by Box and Muller, of which one in two is kept for the next call. Skipping ahead in a sequence and a number of Poisson's are one operation each, under
// their names, beside the numbers that are drawn.
#pragma once
struct curandStateXORWOW {
  unsigned d, v0, v1, v2, v3, v4;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *s) {
  unsigned low = (unsigned)seed ^ 0xaad26b49u, high = (unsigned)(seed >> 32) ^ 0xf7dcefddu;
  unsigned a = 1099087573u * low, b = 2591861531u * high;
  s->d = 6615241u + b + a;
  s->v0 = 123456789u + a;
  s->v1 = 362436069u ^ a;
  s->v2 = 521288629u + b;
  s->v3 = 88675123u ^ b;
  s->v4 = __curand_skip(5783321u + a, (unsigned)sequence, (unsigned)offset);
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f;
  s->boxmuller_extra_double = 0.0;
}
__device__ inline unsigned curand(curandStateXORWOW *s) {
  unsigned t = s->v0 ^ (s->v0 >> 2), last = s->v4;
  s->v0 = s->v1;
  s->v1 = s->v2;
  s->v2 = s->v3;
  s->v3 = last;
  last = (last ^ (last << 4)) ^ (t ^ (t << 1));
  s->v4 = last;
  unsigned d = s->d + 362437u;
  s->d = d;
  return last + d;
}
__device__ inline void skipahead(unsigned long long n, curandStateXORWOW *s) { s->v4 = __curand_skip(s->v4, 0u, (unsigned)n); }
__device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) { s->v4 = __curand_skip(s->v4, (unsigned)n, 0u); }

__device__ inline uint4 __curand_round(uint4 c, uint2 k) {
  unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x, high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
  return make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
}
__device__ inline uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  for (int round = 0; round < 9; round++) {
    c = __curand_round(c, k);
    k.x = k.x + 0x9e3779b9u;
    k.y = k.y + 0xbb67ae85u;
  }
  return __curand_round(c, k);
}
__device__ inline void __curand_count(curandStatePhilox4_32_10 *s) {
  uint4 c = s->ctr;
  c.x = c.x + 1u;
  if (c.x == 0) {
    c.y = c.y + 1u;
    if (c.y == 0) {
      c.z = c.z + 1u;
      if (c.z == 0) c.w = c.w + 1u;
    }
  }
  s->ctr = c;
}
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *s) {
  uint4 c = make_uint4((unsigned)(offset >> 2), (unsigned)(offset >> 34), (unsigned)sequence, (unsigned)(sequence >> 32));
  uint2 k = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  s->ctr = c;
  s->key = k;
  s->STATE = (unsigned)offset & 3u;
  s->boxmuller_flag = 0;
  s->boxmuller_flag_double = 0;
  s->boxmuller_extra = 0.0f;
  s->boxmuller_extra_double = 0.0;
  s->output = curand_Philox4x32_10(c, k);
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *s) {
  uint4 before = s->output;
  __curand_count(s);
  s->output = curand_Philox4x32_10(s->ctr, s->key);
  return before;
}
__device__ inline unsigned curand(curandStatePhilox4_32_10 *s) {
  unsigned at = s->STATE, value = at == 0 ? s->output.x : at == 1 ? s->output.y : at == 2 ? s->output.z : s->output.w;
  s->STATE = at + 1u;
  if (at == 3) {
    __curand_count(s);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
    s->STATE = 0;
  }
  return value;
}

__device__ inline float _curand_uniform(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ inline double _curand_uniform_double(unsigned x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
__device__ inline double __curand_53(unsigned x, unsigned y) {
  unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21);
  return z * 1.1102230246251565e-16 + 5.551115123125783e-17;
}
__device__ inline float2 _curand_box_muller(unsigned x, unsigned y) {
  float u = x * 2.3283064e-10f + 1.1641532e-10f, v = y * 1.4629180e-9f + 7.3145898e-10f;
  float s = sqrtf(-2.0f * logf(u)), a, b;
  __sincosf(v, &a, &b);
  return make_float2(s * a, s * b);
}
__device__ inline double2 __curand_box_muller_double(double u, double v) {
  double s = sqrt(-2.0 * log(u)), a, b;
  sincospi(v * 2.0, &a, &b);
  return make_double2(s * a, s * b);
}
template <class State> __device__ inline float curand_uniform(State *s) { return _curand_uniform(curand(s)); }
__device__ inline double curand_uniform_double(curandStateXORWOW *s) {
  unsigned x = curand(s), y = curand(s);
  return __curand_53(x, y);
}
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *s) { return _curand_uniform_double(curand(s)); }
template <class State> __device__ inline float2 curand_normal2(State *s) {
  unsigned x = curand(s), y = curand(s);
  return _curand_box_muller(x, y);
}
template <class State> __device__ inline float curand_normal(State *s) {
  float out = s->boxmuller_extra;
  if (s->boxmuller_flag == 0) {
    unsigned x = curand(s), y = curand(s);
    float2 v = _curand_box_muller(x, y);
    s->boxmuller_extra = v.y;
    s->boxmuller_flag = 1;
    out = v.x;
  } else {
    s->boxmuller_flag = 0;
  }
  return out;
}
template <class State> __device__ inline double2 curand_normal2_double(State *s) {
  double u = curand_uniform_double(s), v = curand_uniform_double(s);
  return __curand_box_muller_double(u, v);
}
template <class State> __device__ inline double curand_normal_double(State *s) {
  double out = s->boxmuller_extra_double;
  if (s->boxmuller_flag_double == 0) {
    double2 v = curand_normal2_double(s);
    s->boxmuller_extra_double = v.y;
    s->boxmuller_flag_double = 1;
    out = v.x;
  } else {
    s->boxmuller_flag_double = 0;
  }
  return out;
}
template <class State> __device__ inline float curand_log_normal(State *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
template <class State> __device__ inline double curand_log_normal_double(State *s, double mean, double deviation) { return exp(mean + deviation * curand_normal_double(s)); }
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
  uint4 x = curand4(s);
  return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w));
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *s) {
  uint4 x = curand4(s);
  float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
__device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *s) {
  uint4 x = curand4(s);
  return make_double2(__curand_53(x.x, x.y), __curand_53(x.z, x.w));
}
template <class State> __device__ inline unsigned curand_poisson(State *s, double lambda) { return __curand_poisson((unsigned)lambda, curand(s)); }
