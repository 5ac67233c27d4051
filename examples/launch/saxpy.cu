// y = a x + y
template <class T> __global__ void saxpy(const T *x, T *y, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// The same, one element after the other.
template <class T> __global__ void saxpy_ref(const T *x, T *y, T a, int n) {
  for (int i = 0; i < n; i++) y[i] += a * x[i];
}
