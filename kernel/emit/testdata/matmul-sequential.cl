/*
groups (1, 1, 1), work-items (1, 1, 1)
for i = 0 .. n - 1
    for j = 0 .. n - 1
        insn_k_init: acc_k = 0.0f
        for k = 0 .. n - 1
            insn_k_update: acc_k = acc_k + a[i, k]*b[k, j]
        insn: c[i, j] = acc_k
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(1, 1, 1)))
matmul(__global float *restrict c, __global const float *restrict a, __global const float *restrict b, int const n)
{
    float acc_k;

    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
        {
            acc_k = 0.0f;
            for (int k = 0; k < n; ++k)
                acc_k = acc_k + a[n*i + k] * b[n*k + j];
            c[n*i + j] = acc_k;
        }
}
