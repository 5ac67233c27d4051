// out[i] = table[index[i]] for rows of width elements.
__global__ void gather_rows(const float *__restrict__ table, const int *__restrict__ index, float *__restrict__ out, int n, int width)
{
    for (int i = blockIdx.y; i < n; i += gridDim.y) {
        int from = __ldg(&index[i]);
        for (int c = threadIdx.x; c < width; c += blockDim.x)
            out[i * width + c] = __ldg(&table[from * width + c]);
    }
}
