// C = A*B for square matrices of n*n elements, n a multiple of 16: tiles of A and B are shared in local memory.
#define TS 16

__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void matmul_tiled(const int n, __global const float *A, __global const float *B, __global float *C)
{
    __local float As[TS][TS];
    __local float Bs[TS][TS];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int row = get_group_id(1) * TS + ly;
    const int col = get_group_id(0) * TS + lx;

    float acc = 0.0f;
    for (int t = 0; t < n / TS; t++) {
        As[ly][lx] = A[row * n + t * TS + lx];
        Bs[ly][lx] = B[(t * TS + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc += As[ly][k] * Bs[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = acc;
}
