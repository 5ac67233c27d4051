/*
groups (n, 1, 1), work-items (8, 1, 1)
fill: s[lid(0)] = x[gid(0), lid(0)]
for t = 0 .. 4
    barrier local (s: written by write, read by read)
    read: v = s[7 - lid(0)]*0.5f + lid(0)
    barrier local (s: read by read, written by write)
    write: s[lid(0)] = v + s[lid(0)]
barrier local (s: written by write, read by use)
use: y[gid(0), lid(0)] = s[7 - lid(0)]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
pipeline(__global const float *restrict x, __global float *restrict y, int const n)
{
    __local float s[8];
    float v;

    s[lid(0)] = x[8*gid(0) + lid(0)];
    for (int t = 0; t <= 4; ++t)
    {
        barrier(CLK_LOCAL_MEM_FENCE); /* s: written by write, read by read */
        v = s[7 - lid(0)] * 0.5f + lid(0);
        barrier(CLK_LOCAL_MEM_FENCE); /* s: read by read, written by write */
        s[lid(0)] = v + s[lid(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* s: written by write, read by use */
    y[8*gid(0) + lid(0)] = s[7 - lid(0)];
}
