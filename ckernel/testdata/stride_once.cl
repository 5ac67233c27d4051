// --local 64 --global n
__kernel void stride_once(int n, __global const float *x, __global float *y)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = x[i] + 1.0f;
}
