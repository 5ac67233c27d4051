// y = A*x for a sparse matrix with n rows in CSR form: a work-item takes a row.
__kernel void spmv(int n, __global const int *rows, __global const int *cols, __global const float *values, __global const float *x, __global float *y)
{
    int row = get_global_id(0);
    if (row < n) {
        float sum = 0.0f;
        for (int k = rows[row]; k < rows[row + 1]; k++)
            sum += values[k] * x[cols[k]];
        y[row] = sum;
    }
}
