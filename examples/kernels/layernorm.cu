// Layer normalisation: each row of n elements less its mean, over its standard deviation, then scaled and shifted. A block takes a row.
__device__ float block_sum(float v, float *warps)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++)
        v += warps[w];
    return v;
}

__global__ void layernorm(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta, float *__restrict__ y, int n, float eps)
{
    __shared__ float warps[32];
    const float *row = x + blockIdx.x * n;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += row[i];
    const float mean = block_sum(sum, warps) / n;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float d = row[i] - mean;
        squares += d * d;
    }
    const float scale = rsqrtf(block_sum(squares, warps) / n + eps);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}
