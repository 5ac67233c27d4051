// --local 32 --global n --assume trips(7) = nnz/n --assume n % 32 = 0
__kernel void rows(int n, __global const int *first, __global const int *cols, __global const float *values, __global const float *x, __global float *y)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    int end = first[row + 1];
    for (int k = first[row]; k < end; k++)
        sum += values[k] * x[cols[k]];
    y[row] = sum;
}
