/*
groups (n/16, n/16, 1), work-items (16, 16, 1)
insn_k_outer_k_inner_init: acc_k_outer_k_inner = 0.0f
for k_outer = 0 .. n/16 - 1
    barrier local (a_fetch: read by insn_k_outer_k_inner_update, written by a_fetch_rule)
    a_fetch_rule: a_fetch[lid(1), lid(0)] = a[16*gid(1) + lid(1), 16*k_outer + lid(0)]
    b_fetch_rule: b_fetch[lid(1), lid(0)] = b[16*k_outer + lid(1), 16*gid(0) + lid(0)]
    barrier local (b_fetch: written by b_fetch_rule, read by insn_k_outer_k_inner_update)
    for k_inner = 0 .. 15
        insn_k_outer_k_inner_update: acc_k_outer_k_inner = acc_k_outer_k_inner + a_fetch[lid(1), k_inner]*b_fetch[k_inner, lid(0)]
insn: c[16*gid(1) + lid(1), 16*gid(0) + lid(0)] = acc_k_outer_k_inner
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
matmul(__global float *restrict c, __global const float *restrict a, __global const float *restrict b, int const n)
{
    __local float a_fetch[16*16];
    __local float b_fetch[16*16];
    float acc_k_outer_k_inner;

    acc_k_outer_k_inner = 0.0f;
    for (int k_outer = 0; k_outer < n / 16; ++k_outer)
    {
        barrier(CLK_LOCAL_MEM_FENCE); /* a_fetch: read by insn_k_outer_k_inner_update, written by a_fetch_rule */
        a_fetch[16*lid(1) + lid(0)] = a[n*(16*gid(1) + lid(1)) + 16*k_outer + lid(0)];
        b_fetch[16*lid(1) + lid(0)] = b[n*(16*k_outer + lid(1)) + 16*gid(0) + lid(0)];
        barrier(CLK_LOCAL_MEM_FENCE); /* b_fetch: written by b_fetch_rule, read by insn_k_outer_k_inner_update */
        for (int k_inner = 0; k_inner <= 15; ++k_inner)
            acc_k_outer_k_inner = acc_k_outer_k_inner + a_fetch[16*lid(1) + k_inner] * b_fetch[16*k_inner + lid(0)];
    }
    c[n*(16*gid(1) + lid(1)) + 16*gid(0) + lid(0)] = acc_k_outer_k_inner;
}
