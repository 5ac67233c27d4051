// --local 32 --global n --assume n % 32 = 0
__device__ int at(int i, int j, int n) { return i * n + j; }
__device__ float clip(float v, float most)
{
    if (v > most)
        return most;
    return v;
}
__device__ void swap(float *a, float *b) { float t = *a; *a = *b; *b = t; }

__global__ void functions(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = clip(x[at(2, i, n)] * 2.0f, 1.0f), b = x[i];
    swap(&a, &b);
    y[i] = clip(a, b) + clip(b, a);
}
