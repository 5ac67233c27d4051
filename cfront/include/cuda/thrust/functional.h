// Functions as objects (thrust/functional.h of CCCL 2).
#pragma once
namespace thrust {
template <class T> struct plus { __device__ T operator()(const T &a, const T &b) const { return a + b; } };
template <class T> struct minus { __device__ T operator()(const T &a, const T &b) const { return a - b; } };
template <class T> struct multiplies { __device__ T operator()(const T &a, const T &b) const { return a * b; } };
template <class T> struct divides { __device__ T operator()(const T &a, const T &b) const { return a / b; } };
template <class T> struct maximum { __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <class T> struct minimum { __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class T> struct negate { __device__ T operator()(const T &a) const { return -a; } };
template <class T> struct identity { __device__ T operator()(const T &a) const { return a; } };
template <class A, class B> struct pair {
  A first;
  B second;
  __device__ pair() {}
  __device__ pair(const A &a, const B &b) : first(a), second(b) {}
};
template <class A, class B> __device__ pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
}
