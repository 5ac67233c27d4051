/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn: y[4*gid(0) + lid(0)] = x[p[4*gid(0) + lid(0)] - 1, 4*gid(0) + lid(0)]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
gather(__global const float *restrict x, __global float *restrict y, __global const int *restrict p, int const n)
{
    if (4*gid(0) + lid(0) < n)
        y[4*gid(0) + lid(0)] = x[n*(p[4*gid(0) + lid(0)] - 1) + 4*gid(0) + lid(0)];
}
