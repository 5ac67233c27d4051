// out[i] = the mean of the 2*RADIUS+1 neighbours of in[i], where in has RADIUS more elements at each end: a block shares what it reads.
#define RADIUS 3
#define BLOCK 128

__global__ void stencil1d(const float *in, float *out, int n)
{
    __shared__ float line[BLOCK + 2 * RADIUS];
    int global = threadIdx.x + blockIdx.x * blockDim.x;
    int local = threadIdx.x + RADIUS;
    line[local] = in[global + RADIUS];
    if (threadIdx.x < RADIUS) {
        line[local - RADIUS] = in[global];
        line[local + BLOCK] = in[global + BLOCK + RADIUS];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        sum += line[local + offset];
    out[global] = sum / (2 * RADIUS + 1);
}
