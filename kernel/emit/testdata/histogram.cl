/*
groups (n, 1, 1), work-items (64, 1, 1)
if lid(0) < 16
    clear: s[lid(0)] = 0
barrier local (s: written by clear, read by add)
for k = 0 .. 3
    add: s[x[256*gid(0) + 64*k + lid(0)] % 16] = s[x[256*gid(0) + 64*k + lid(0)] % 16] + 1
barrier local (s: written by add, read by out)
if lid(0) < 16
    out: h[lid(0)] = h[lid(0)] + s[lid(0)]
    most: most[0] = maximum(most[0], s[lid(0)])
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline int floor_mod_int(int a, int b)
{
    int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

__kernel void __attribute__((reqd_work_group_size(64, 1, 1)))
histogram(__global int *restrict h, __global int *restrict most, __global const int *restrict x, int const n)
{
    __local int s[16];

    if (lid(0) < 16)
        s[lid(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); /* s: written by clear, read by add */
    for (int k = 0; k <= 3; ++k)
        atomic_add(&s[floor_mod_int(x[256*gid(0) + 64*k + lid(0)], 16)], 1);
    barrier(CLK_LOCAL_MEM_FENCE); /* s: written by add, read by out */
    if (lid(0) < 16)
    {
        atomic_add(&h[lid(0)], s[lid(0)]);
        atomic_max(&most[0], s[lid(0)]);
    }
}
