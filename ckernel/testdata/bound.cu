// --local 32 --global 4096 --bind n=64*k
__global__ void bound(float *y, int n, int m)
{
    __shared__ float tile[32 + 1];
    tile[threadIdx.x] = n;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = tile[0] * m;
}
