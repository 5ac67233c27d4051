// c = a + b, four elements per work-item, for n that is a multiple of 4.
__kernel void add4(int n, __global const float *a, __global const float *b, __global float *c)
{
    int i = get_global_id(0);
    if (4 * i < n)
        vstore4(vload4(i, a) + vload4(i, b), i, c);
}
