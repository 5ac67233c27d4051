// y = a*x + y for vectors of n elements.

// One element per work-item; the last work-group may reach beyond the end.
__kernel void saxpy(int n, float a, __global const float *x, __global float *y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// Any number of work-items: each takes every get_global_size(0)-th element.
__kernel void saxpy_stride(int n, float a, __global const float *restrict x, __global float *restrict y)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = a * x[i] + y[i];
}
