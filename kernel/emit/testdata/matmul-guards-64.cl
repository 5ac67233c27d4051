#define lid(N) ((long) get_local_id(N))
#define gid(N) ((long) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
matmul(__global float *restrict c, __global const float *restrict a, __global const float *restrict b, long const n)
{
    __local float a_fetch[16*16];
    __local float b_fetch[16*16];
    float acc_k_outer_k_inner;

    if (16*gid(1) + lid(1) < n && 16*gid(0) + lid(0) < n)
        acc_k_outer_k_inner = 0.0f;
    for (long k_outer = 0; k_outer <= (n - 1) / 16; ++k_outer)
    {
        barrier(CLK_LOCAL_MEM_FENCE); /* a_fetch: read by insn_k_outer_k_inner_update, written by a_fetch_rule */
        if (16*gid(1) + lid(1) < n && 16*k_outer + lid(0) < n)
            a_fetch[16*lid(1) + lid(0)] = a[n*(16*gid(1) + lid(1)) + 16*k_outer + lid(0)];
        if (16*gid(0) + lid(0) < n && 16*k_outer + lid(1) < n)
            b_fetch[16*lid(1) + lid(0)] = b[n*(16*k_outer + lid(1)) + 16*gid(0) + lid(0)];
        barrier(CLK_LOCAL_MEM_FENCE); /* b_fetch: written by b_fetch_rule, read by insn_k_outer_k_inner_update */
        if (16*gid(1) + lid(1) < n && 16*gid(0) + lid(0) < n)
            for (long k_inner = 0; k_inner < min((long) 16, n - 16*k_outer); ++k_inner)
                acc_k_outer_k_inner = acc_k_outer_k_inner + a_fetch[16*lid(1) + k_inner] * b_fetch[16*k_inner + lid(0)];
    }
    if (16*gid(1) + lid(1) < n && 16*gid(0) + lid(0) < n)
        c[n*(16*gid(1) + lid(1)) + 16*gid(0) + lid(0)] = acc_k_outer_k_inner;
}
