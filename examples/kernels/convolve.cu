// Rows of an image convolved with a mask in constant memory. The edges are clamped.
#define KERNEL_RADIUS 4

__constant__ float c_mask[2 * KERNEL_RADIUS + 1];

__global__ void convolve_rows(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0;
#pragma unroll
    for (int k = -KERNEL_RADIUS; k <= KERNEL_RADIUS; k++) {
        int at = min(max(x + k, 0), w - 1);
        sum += c_mask[k + KERNEL_RADIUS] * in[y * w + at];
    }
    out[y * w + x] = sum;
}
