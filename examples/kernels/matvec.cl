// y = A*x for a matrix of m*n elements: a work-group takes a row, and shares its part of the sum in local memory.
__kernel void matvec(__global const float *A, __global const float *x, __global float *y, uint m, uint n, __local float *part)
{
    for (uint row = get_group_id(0); row < m; row += get_num_groups(0)) {
        __global const float *a = A + row * n;
        float sum = 0;
        for (uint j = get_local_id(0); j < n; j += get_local_size(0))
            sum += a[j] * x[j];
        part[get_local_id(0)] = sum;
        for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) < s)
                part[get_local_id(0)] += part[get_local_id(0) + s];
        }
        if (get_local_id(0) == 0)
            y[row] = part[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
