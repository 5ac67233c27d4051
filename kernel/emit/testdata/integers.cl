/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn: y[4*gid(0) + lid(0)] = (x[4*gid(0) + lid(0)] - 9) // 4 + (x[4*gid(0) + lid(0)] - 9) % 5*100 + (4*gid(0) + lid(0) - 3) // 2 + ((4*gid(0) + lid(0)) + 7) % 3*1000 + minimum(x[4*gid(0) + lid(0)], 5) + (x[4*gid(0) + lid(0)] << 2) - (x[4*gid(0) + lid(0)] ^ 3)
    insn_0: z[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)]**3 + (~x[4*gid(0) + lid(0)] & 15) + (1 if x[4*gid(0) + lid(0)] > 7 and not 4*gid(0) + lid(0) == 2 else -1)
    insn_1: w[((4*gid(0) + lid(0))*3 + 1) % n] = cast(int8, 50*x[4*gid(0) + lid(0)])
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline int floor_div_int(int a, int b)
{
    int q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static inline int floor_mod_int(int a, int b)
{
    int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static inline int power_int(int a, int b)
{
    int r = 1;
    for (; b > 0; b >>= 1, a *= a)
        if (b & 1) r *= a;
    return r;
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
integers(__global int *restrict w, __global int *restrict y, __global const int *restrict x, __global long *restrict z, int const n)
{
    if (4*gid(0) + lid(0) < n)
    {
        y[4*gid(0) + lid(0)] = floor_div_int(x[4*gid(0) + lid(0)] - 9, 4) + floor_mod_int(x[4*gid(0) + lid(0)] - 9, 5) * 100 + (2*gid(0) + (lid(0) + 1) / 2 - 2) + (gid(0) + lid(0) + 1) % 3 * 1000 + min(x[4*gid(0) + lid(0)], 5) + (x[4*gid(0) + lid(0)] << 2) - (x[4*gid(0) + lid(0)] ^ 3);
        z[4*gid(0) + lid(0)] = power_int(x[4*gid(0) + lid(0)], 3) + (~x[4*gid(0) + lid(0)] & 15) + (x[4*gid(0) + lid(0)] > 7 && !(4 * gid(0) + lid(0) == 2) ? 1 : -1);
        w[floor_mod_int(12*gid(0) + 3*lid(0) + 1, n)] = (char) (50 * x[4*gid(0) + lid(0)]);
    }
}
