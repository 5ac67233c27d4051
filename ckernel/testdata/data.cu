// --local 32 --global n --assume n % 32 = 0
__global__ void data(const float *x, const int *next, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float least = 1.0f;
    int best = 0;
    for (int k = 0; k < n; k++) {
        float d = x[k] - x[i];
        if (d < least && k > 0) {
            least = d;
            best = k;
        }
    }
    int at = next[best];
    if (x[at] > 0.0f)
        y[i] = x[at] * 2.0f;
    else
        y[i] = 0.0f;
}
