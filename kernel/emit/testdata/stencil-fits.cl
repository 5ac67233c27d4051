/*
groups (n/14, n/14, 1), work-items (16, 16, 1)
u_fetch_rule: u_fetch[lid(1), lid(0)] = u[14*gid(1) + lid(1), 14*gid(0) + lid(0)]
barrier local (u_fetch: written by u_fetch_rule, read by insn)
if lid(1) <= 13 and lid(0) <= 13
    insn: res[14*gid(1) + lid(1), 14*gid(0) + lid(0)] = u_fetch[lid(1), lid(0) + 1] + u_fetch[lid(1) + 1, lid(0)] - 4*u_fetch[lid(1) + 1, lid(0) + 1] + u_fetch[lid(1) + 1, lid(0) + 2] + u_fetch[lid(1) + 2, lid(0) + 1]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(16, 16, 1)))
stencil(__global float *restrict res, __global const float *restrict u, int const n)
{
    __local float u_fetch[16*16];

    u_fetch[16*lid(1) + lid(0)] = u[(n + 2)*(14*gid(1) + lid(1)) + 14*gid(0) + lid(0)];
    barrier(CLK_LOCAL_MEM_FENCE); /* u_fetch: written by u_fetch_rule, read by insn */
    if (lid(1) <= 13 && lid(0) <= 13)
        res[n*(14*gid(1) + lid(1)) + 14*gid(0) + lid(0)] = u_fetch[16*lid(1) + lid(0) + 1] + u_fetch[16*lid(1) + lid(0) + 16] - 4.0f * u_fetch[16*lid(1) + lid(0) + 17] + u_fetch[16*lid(1) + lid(0) + 18] + u_fetch[16*lid(1) + lid(0) + 33];
}
