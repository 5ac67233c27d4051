// --local 64 --groups rows//2 --assume trips(7) = 27/32 --assume rows % 2 = 0
__global__ void rows_by_warp(const int *__restrict__ first, const int *__restrict__ cols, const float *__restrict__ x, float *__restrict__ y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    int begin = first[row], end = first[row + 1];
    for (int k = begin + lane; k < end; k += 32)
        sum += x[cols[k]];
    y[2 * blockIdx.x + threadIdx.x / 32] = sum;
}
