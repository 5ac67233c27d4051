// Complex numbers as thrust/detail/complex of CCCL 2 computes them: products by four multiplications, quotients scaled by the sum of magnitudes.
#pragma once
namespace thrust {
template <class T> struct complex {
  T re, im;
  __device__ complex() : re(0), im(0) {}
  __device__ complex(const T &r) : re(r), im(0) {}
  __device__ complex(const T &r, const T &i) : re(r), im(i) {}
  __device__ T real() const { return re; }
  __device__ T imag() const { return im; }
  __device__ void real(T r) { re = r; }
  __device__ void imag(T i) { im = i; }
  __device__ complex &operator=(const T &r) { re = r; im = 0; return *this; }
  __device__ complex &operator+=(const complex &z) { re = re + z.re; im = im + z.im; return *this; }
  __device__ complex &operator-=(const complex &z) { re = re - z.re; im = im - z.im; return *this; }
  __device__ complex &operator*=(const complex &z) {
    T r = re * z.re - im * z.im;
    im = re * z.im + im * z.re;
    re = r;
    return *this;
  }
  __device__ complex &operator*=(const T &s) { re = re * s; im = im * s; return *this; }
};
template <class T> __device__ inline complex<T> operator+(const complex<T> &a, const complex<T> &b) { return complex<T>(a.re + b.re, a.im + b.im); }
template <class T> __device__ inline complex<T> operator+(const complex<T> &a, const T &b) { return complex<T>(a.re + b, a.im); }
template <class T> __device__ inline complex<T> operator+(const T &a, const complex<T> &b) { return complex<T>(a + b.re, b.im); }
template <class T> __device__ inline complex<T> operator-(const complex<T> &a, const complex<T> &b) { return complex<T>(a.re - b.re, a.im - b.im); }
template <class T> __device__ inline complex<T> operator-(const complex<T> &a, const T &b) { return complex<T>(a.re - b, a.im); }
template <class T> __device__ inline complex<T> operator-(const T &a, const complex<T> &b) { return complex<T>(a - b.re, -b.im); }
template <class T> __device__ inline complex<T> operator-(const complex<T> &a) { return complex<T>(-a.re, -a.im); }
template <class T> __device__ inline complex<T> operator*(const complex<T> &a, const complex<T> &b) {
  return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <class T> __device__ inline complex<T> operator*(const complex<T> &a, const T &b) { return complex<T>(a.re * b, a.im * b); }
template <class T> __device__ inline complex<T> operator*(const T &a, const complex<T> &b) { return complex<T>(a * b.re, a * b.im); }
template <class T> __device__ inline complex<T> operator/(const complex<T> &a, const T &b) { return complex<T>(a.re / b, a.im / b); }
template <class T> __device__ inline complex<T> operator/(const complex<T> &a, const complex<T> &b) {
  T scale = T(1) / (fabs(b.re) + fabs(b.im));
  T p = a.re * scale, q = a.im * scale, u = b.re * scale, v = b.im * scale;
  T inverse = T(1) / (u * u + v * v);
  return complex<T>((p * u + q * v) * inverse, (q * u - p * v) * inverse);
}
template <class T> __device__ inline complex<T> conj(const complex<T> &z) { return complex<T>(z.re, -z.im); }
template <class T> __device__ inline T norm(const complex<T> &z) { return z.re * z.re + z.im * z.im; }
template <class T> __device__ inline T abs(const complex<T> &z) { return hypot(z.re, z.im); }
template <class T> __device__ inline T arg(const complex<T> &z) { return atan2(z.im, z.re); }
template <class T> __device__ inline complex<T> polar(const T &m, const T &theta) { return complex<T>(m * cos(theta), m * sin(theta)); }
template <class T> __device__ inline complex<T> exp(const complex<T> &z) {
  T m = ::exp(z.re);
  return complex<T>(m * cos(z.im), m * sin(z.im));
}
}
