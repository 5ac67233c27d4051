/*
groups (floor((n + 7)/8), 1, 1), work-items (8, 1, 1)
if 8*gid(0) + lid(0) < n
    zero: y[8*gid(0) + lid(0)] = 0
    for k = 0 .. 8*gid(0) + lid(0)
        if k % 2 == 0 and x[k] > 0.7f
            add: y[8*gid(0) + lid(0)] = y[8*gid(0) + lid(0)] + x[k]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
predicates(__global float *restrict y, __global const float *restrict x, int const n)
{
    if (8*gid(0) + lid(0) < n)
    {
        y[8*gid(0) + lid(0)] = 0.0f;
        for (int k = 0; k <= 8*gid(0) + lid(0); ++k)
        {
            if (k % 2 == 0 && x[k] > 0.7f)
                y[8*gid(0) + lid(0)] = y[8*gid(0) + lid(0)] + x[k];
        }
    }
}
