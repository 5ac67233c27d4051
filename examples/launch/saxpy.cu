// y = a x + y
template <class T> __global__ void saxpy(const T *x, T *y, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// The same by one work-group.
template <class T> __global__ void saxpy_ref(const T *x, T *y, T a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] += a * x[i];
}
