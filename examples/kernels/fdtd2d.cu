// A step of the electric field of a two-dimensional FDTD method, on a grid of nx*ny points, and one of the magnetic field.
#define IDX(i, j) ((i) * ny + (j))

__global__ void fdtd_e(float *ex, float *ey, const float *hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        if (i > 0)
            ey[IDX(i, j)] = ey[IDX(i, j)] - 0.5f * (hz[IDX(i, j)] - hz[IDX(i - 1, j)]);
        if (j > 0)
            ex[IDX(i, j)] = ex[IDX(i, j)] - 0.5f * (hz[IDX(i, j)] - hz[IDX(i, j - 1)]);
    }
}

__global__ void fdtd_h(const float *ex, const float *ey, float *hz, int nx, int ny)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx - 1 && j < ny - 1)
        hz[IDX(i, j)] -= 0.7f * (ex[IDX(i, j + 1)] - ex[IDX(i, j)] + ey[IDX(i + 1, j)] - ey[IDX(i, j)]);
}
