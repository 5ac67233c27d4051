/*
groups (1, 1, 1), work-items (1, 1, 1)
for i_outer = 0 .. n/16 - 1
    for i_inner = 0 .. 15
        for j_outer = 0 .. n/16 - 1
            for j_inner = 0 .. 15
                insn_k_outer_k_inner_init: acc_k_outer_k_inner = 0.0f
                for k_outer = 0 .. n/16 - 1
                    for k_inner = 0 .. 15
                        insn_k_outer_k_inner_update: acc_k_outer_k_inner = acc_k_outer_k_inner + a[16*i_outer + i_inner, 16*k_outer + k_inner]*b[16*k_outer + k_inner, 16*j_outer + j_inner]
                insn: c[16*i_outer + i_inner, 16*j_outer + j_inner] = acc_k_outer_k_inner
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(1, 1, 1)))
matmul(__global float *restrict c, __global const float *restrict a, __global const float *restrict b, int const n)
{
    float acc_k_outer_k_inner;

    for (int i_outer = 0; i_outer < n / 16; ++i_outer)
        for (int i_inner = 0; i_inner <= 15; ++i_inner)
            for (int j_outer = 0; j_outer < n / 16; ++j_outer)
                for (int j_inner = 0; j_inner <= 15; ++j_inner)
                {
                    acc_k_outer_k_inner = 0.0f;
                    for (int k_outer = 0; k_outer < n / 16; ++k_outer)
                        for (int k_inner = 0; k_inner <= 15; ++k_inner)
                            acc_k_outer_k_inner = acc_k_outer_k_inner + a[n*(16*i_outer + i_inner) + 16*k_outer + k_inner] * b[n*(16*k_outer + k_inner) + 16*j_outer + j_inner];
                    c[n*(16*i_outer + i_inner) + 16*j_outer + j_inner] = acc_k_outer_k_inner;
                }
}
