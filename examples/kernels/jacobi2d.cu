// One step of a 5-point Jacobi iteration on an inner grid of h*w points; the outermost rows and columns stay as they are.
__global__ void jacobi2d(const float *__restrict__ in, float *__restrict__ out, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < w - 1 && j > 0 && j < h - 1)
        out[j * w + i] = 0.2f * (in[j * w + i] + in[j * w + i - 1] + in[j * w + i + 1] + in[(j - 1) * w + i] + in[(j + 1) * w + i]);
}
