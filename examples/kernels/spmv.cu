// y = A*x for a sparse matrix with n rows in CSR form: a warp takes a row.
__global__ void spmv_warps(int n, const int *rows, const int *cols, const double *values, const double *x, double *y)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    int lane = thread & 31;
    if (row < n) {
        double sum = 0.0;
        for (int k = rows[row] + lane; k < rows[row + 1]; k += 32)
            sum += values[k] * x[cols[k]];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0)
            y[row] = sum;
    }
}
