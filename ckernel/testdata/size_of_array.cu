// --local 64 --global x --bind last=x-1
// The launch speaks of a size x, which is not the array of that name.
__global__ void clamped(const float *x, float *y, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < last)
        y[i] = x[i + 1];
}
