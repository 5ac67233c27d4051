// --local 64 --groups 2
__global__ void maximum(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = max(n, 10); j < (int)threadIdx.x * 3 - n; j++)
        if (i / 5 == (j & 3))
            x[i] *= 2.0f;
}
