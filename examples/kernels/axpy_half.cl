#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// y = a*x + y for vectors of n elements in half precision, computed in single precision.
__kernel void axpy_half(int n, float a, __global const half *x, __global half *y)
{
    int i = get_global_id(0);
    if (i < n) {
        float sum = a * (float)x[i] + (float)y[i];
        y[i] = (half)sum;
    }
}
