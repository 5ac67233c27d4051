// --local 16,16 --global n,n --assume n % 16 = 0
#define TS 16
__kernel void tiles(const int n, __global const float *A, __global const float *B, __global float *C)
{
    __local float As[TS][TS], Bs[TS][TS];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int row = get_group_id(1) * TS + ly, col = get_group_id(0) * TS + lx;
    float acc = 0.0f;
    for (int t = 0; t < n / TS; t++) {
        As[ly][lx] = A[row * n + t * TS + lx];
        Bs[ly][lx] = B[(t * TS + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TS; k++)
            acc += As[ly][k] * Bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = acc;
}
