// --local 64 --groups m
__global__ void lockstep(const float *x, float *y, int n)
{
    int l = threadIdx.x;
    float sum = 0.0f;
    for (int j = l; j < n; j++)
        sum += x[j];
    for (int j = l / 3; j < (l & 7); j++)
        sum *= 2.0f;
    y[blockIdx.x * 64 + l] = sum;
}
