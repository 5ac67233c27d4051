// --local 32 --global n // 4 --assume n % 128 = 0
__kernel void vectors(__global const float4 *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    float4 x = a[i], y = vload4(i, b);
    float4 z = x * 2.0f + y;
    float4 w = (float4)(x.x, 1.0f, y.wz);
    vstore4(z + w, i, c);
}
