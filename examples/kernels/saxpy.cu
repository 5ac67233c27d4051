// y = a*x + y for vectors of n elements.

// One element per thread; the last block may reach beyond the end.
__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = fmaf(a, x[i], y[i]);
}

// Any number of threads: each takes every (gridDim.x*blockDim.x)-th element.
__global__ void saxpy_stride(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}
