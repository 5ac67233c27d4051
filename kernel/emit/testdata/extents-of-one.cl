/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    for v = 0 .. 2
        for u = 2 .. 2
            insn: y[4*gid(0) + lid(0), 0, v] = x[4*gid(0) + lid(0), v // 2 + 1] + 0 + 2*2 if (4*gid(0) + lid(0)) + 0 < n else 0
        if 4*gid(0) + lid(0) < 4
            insn_0: z[lid(0), 0] = v + 1
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
ones(__global float *restrict y, __global const float *restrict x, __global int *restrict z, int const n)
{
    if (4*gid(0) + lid(0) < n)
        for (int v = 0; v <= 2; ++v)
        {
            y[12*gid(0) + 3*lid(0) + v] = 4 * gid(0) + lid(0) + 0 < n ? x[12*gid(0) + 3*lid(0) + v / 2 + 1] + (float) 0 + (float) (2 * 2) : (float) 0;
            if (4 * gid(0) + lid(0) < 4)
                z[lid(0)] = v + 1;
        }
}
