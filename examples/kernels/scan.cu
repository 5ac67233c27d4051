// Exclusive prefix sums of 2*blockDim.x elements per block, by the method of Blelloch, with an index that avoids conflicts of banks. sums
// has the total of each block.
#define LOG_BANKS 5
#define PADDED(i) ((i) + ((i) >> LOG_BANKS))

__global__ void scan_blocks(const float *in, float *out, float *sums)
{
    extern __shared__ float temp[];
    int tid = threadIdx.x;
    int n = 2 * blockDim.x;
    int base = blockIdx.x * n;
    temp[PADDED(tid)] = in[base + tid];
    temp[PADDED(tid + n / 2)] = in[base + tid + n / 2];

    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            temp[PADDED(b)] += temp[PADDED(a)];
        }
        offset *= 2;
    }
    __syncthreads();
    if (tid == 0) {
        sums[blockIdx.x] = temp[PADDED(n - 1)];
        temp[PADDED(n - 1)] = 0.0f;
    }
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            float t = temp[PADDED(a)];
            temp[PADDED(a)] = temp[PADDED(b)];
            temp[PADDED(b)] += t;
        }
    }
    __syncthreads();
    out[base + tid] = temp[PADDED(tid)];
    out[base + tid + n / 2] = temp[PADDED(tid + n / 2)];
}
