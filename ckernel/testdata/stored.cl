// --local 32 --global n --assume n % 32 = 0
__kernel void stored(__global int *out, __global float *y, int n)
{
    int i = get_global_id(0);
    int used = 3 * i + 1;
    int index = 2 * i + 1;
    out[i] = used + n;
    y[index] = (float) i;
}
