/*
groups (n/16, n/16, 1), work-items (4, 4, 1)
for i_inner_outer = 0 .. 3
    for j_inner_outer = 0 .. 3
        insn: b[16*gid(1) + 4*i_inner_outer + lid(1), 16*gid(0) + 4*j_inner_outer + lid(0)] = a[16*gid(0) + 4*j_inner_outer + lid(0), 16*gid(1) + 4*i_inner_outer + lid(1)]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 4, 1)))
blocks(__global float *restrict b, __global const float *restrict a, int const n)
{
    for (int i_inner_outer = 0; i_inner_outer <= 3; ++i_inner_outer)
        for (int j_inner_outer = 0; j_inner_outer <= 3; ++j_inner_outer)
            b[n*(16*gid(1) + 4*i_inner_outer + lid(1)) + 16*gid(0) + 4*j_inner_outer + lid(0)] = a[n*(16*gid(0) + 4*j_inner_outer + lid(0)) + 16*gid(1) + 4*i_inner_outer + lid(1)];
}
