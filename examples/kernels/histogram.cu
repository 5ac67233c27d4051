// counts[b] += how many of the n values fall in bin b of width (hi - lo)/bins, by atomics in global memory.
__global__ void histogram(const float *values, int *counts, int n, int bins, float lo, float hi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int b = (int)((values[i] - lo) / (hi - lo) * bins);
        b = min(max(b, 0), bins - 1);
        atomicAdd(counts + b, 1);
    }
}
