// Sums of the elements of x.

// sums[b] = the sum of the 2*blockSize elements that block b has: two loads per thread, and no barriers within the last warp.
template <unsigned int blockSize>
__global__ void reduce_unrolled(const float *x, float *sums, unsigned int n)
{
    __shared__ volatile float part[blockSize];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    float sum = 0.0f;
    if (i < n)
        sum = x[i];
    if (i + blockSize < n)
        sum += x[i + blockSize];
    part[tid] = sum;
    __syncthreads();
    if (blockSize >= 512) {
        if (tid < 256)
            part[tid] += part[tid + 256];
        __syncthreads();
    }
    if (blockSize >= 256) {
        if (tid < 128)
            part[tid] += part[tid + 128];
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64)
            part[tid] += part[tid + 64];
        __syncthreads();
    }
    if (tid < 32) {
        if (blockSize >= 64) { part[tid] += part[tid + 32]; __syncwarp(); }
        if (blockSize >= 32) { if (tid < 16) part[tid] += part[tid + 16]; __syncwarp(); }
        if (blockSize >= 16) { if (tid < 8) part[tid] += part[tid + 8]; __syncwarp(); }
        if (blockSize >= 8) { if (tid < 4) part[tid] += part[tid + 4]; __syncwarp(); }
        if (blockSize >= 4) { if (tid < 2) part[tid] += part[tid + 2]; __syncwarp(); }
        if (blockSize >= 2) { if (tid < 1) part[tid] += part[tid + 1]; __syncwarp(); }
    }
    if (tid == 0)
        sums[blockIdx.x] = part[0];
}

__device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

// *sum += the sum of all elements, for blocks of up to 1024 threads: warps by shuffles, then the sums of the warps.
__global__ void reduce_shuffle(const float *x, float *sum, int n)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += x[i];
    v = warp_sum(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? warps[lane] : 0.0f;
    if (warp == 0)
        v = warp_sum(v);
    if (threadIdx.x == 0)
        atomicAdd(sum, v);
}
