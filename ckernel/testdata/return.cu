// --local 64 --global 2*n
__global__ void leave(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = fmaf(a, x[i], y[i]);
    if (i == 0)
        return;
    y[i] += x[i - 1];
}
