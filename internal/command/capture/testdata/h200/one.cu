extern "C" __global__ void scale(float *x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
extern "C" __global__ void other(char *y, int rows, float b, long long pitch) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 100 && blockIdx.y < rows) ((float *)(y + blockIdx.y * pitch))[i] += b; }
