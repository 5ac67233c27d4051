/*
groups (floor((3*floor((n + 1)/3) + 6)/8), 1, 1), work-items (8, 1, 1)
if (gid(0) - lid(0)) mod 3 = 2 and 8*gid(0) + lid(0) < n
    zero: y[8*gid(0) + lid(0)] = 0
    for k = ((lid(0)) mod 2) .. n - 1 step 2
        insn: y[8*gid(0) + lid(0)] = y[8*gid(0) + lid(0)] + x[(k + 5*(8*gid(0) + lid(0))) % 4]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline int floor_mod_int(int a, int b)
{
    int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
strides(__global float *restrict y, __global const float *restrict x, int const n)
{
    if (floor_mod_int(gid(0) - lid(0), 3) == 2 && 8*gid(0) + lid(0) < n)
    {
        y[8*gid(0) + lid(0)] = 0.0f;
        for (int k = lid(0) % 2; k < n; k += 2)
            y[8*gid(0) + lid(0)] = y[8*gid(0) + lid(0)] + x[(k + lid(0)) % 4];
    }
}
