/*
groups (n/16, n/16, 1), work-items (16, 16, 1)
insn_k_outer_k_inner_init: acc_k_outer_k_inner = 0.0f
for k_outer = 0 .. n/16 - 1
    for k_inner = 0 .. 15
        insn_k_outer_k_inner_update: acc_k_outer_k_inner = acc_k_outer_k_inner + a[16*gid(1) + lid(1), 16*k_outer + k_inner]*b[16*k_outer + k_inner, 16*gid(0) + lid(0)]
insn: c[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = acc_k_outer_k_inner
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
matmul(__global float *restrict c, __global const float *restrict a, __global const float *restrict b, int const n)
{
    float acc_k_outer_k_inner;

    acc_k_outer_k_inner = 0.0f;
    for (int k_outer = 0; k_outer < n / 16; ++k_outer)
        for (int k_inner = 0; k_inner <= 15; ++k_inner)
            acc_k_outer_k_inner = acc_k_outer_k_inner + a[n*(16*gid(1) + lid(1)) + 16*k_outer + k_inner] * b[n*(16*k_outer + k_inner) + 16*gid(0) + lid(0)];
    c[n*(16*gid(1) + lid(1)) + 16*gid(0) + lid(0)] = acc_k_outer_k_inner;
}
