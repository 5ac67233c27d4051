/*
groups (floor((n + 7)/8), 1, 1), work-items (8, 1, 1)
if 8*gid(0) + lid(0) < n
    init: s = x[8*gid(0) + lid(0)]
    unroll u = 0 .. 3
        step: s = s*x[8*gid(0) + lid(0)] + u
    insn: y[8*gid(0) + lid(0)] = s
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
unrolled(__global const float *restrict x, __global float *restrict y, int const n)
{
    float s;

    if (8*gid(0) + lid(0) < n)
    {
        s = x[8*gid(0) + lid(0)];
        s = s * x[8*gid(0) + lid(0)] + 0;
        s = s * x[8*gid(0) + lid(0)] + 1;
        s = s * x[8*gid(0) + lid(0)] + 2;
        s = s * x[8*gid(0) + lid(0)] + 3;
        y[8*gid(0) + lid(0)] = s;
    }
}
