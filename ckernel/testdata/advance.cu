// --local 32 --global n --assume n % 32 = 0
__global__ void advance(const float *a, float *out, int n, int m)
{
    const float *row = a + (blockIdx.x * blockDim.x + threadIdx.x) * m;
    int at = 0;
    float sum = 0.0f;
    for (int j = 0; j < m; j += 4) {
        sum += row[0] + a[at];
        row += 4;
        at += 2;
    }
    int k = m;
    while (k > 0) {
        k--;
        sum *= a[k];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
