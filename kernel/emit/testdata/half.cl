/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    if m > 0
        y: y[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)]*x[4*gid(0) + lid(0)] - x[4*gid(0) + lid(0)]/0.3 + 0.1f
        insn: z[4*gid(0) + lid(0)] = exp(x[4*gid(0) + lid(0)]) + maximum(x[4*gid(0) + lid(0)], 0.75)*fma(x[4*gid(0) + lid(0)], x[4*gid(0) + lid(0)], x[4*gid(0) + lid(0)])
        w_k_init: acc_k = 0
    for k = 0 .. m - 1
        w_k_update: acc_k = acc_k + x[k]*x[4*gid(0) + lid(0)]
    if m > 0
        w: w[4*gid(0) + lid(0)] = acc_k + f[4*gid(0) + lid(0)]
        f: f[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)]*f[4*gid(0) + lid(0)] + abs(-x[4*gid(0) + lid(0)])
        c: c[4*gid(0) + lid(0)] = cast(int32, 100*x[4*gid(0) + lid(0)]) + (1 if x[4*gid(0) + lid(0)] > 1 and isfinite(x[4*gid(0) + lid(0)]) else 0)
        insn_0: v[4*gid(0) + lid(0)] = average(x[4*gid(0) + lid(0)], 0.3f) + (4*gid(0) + lid(0)) + c[4*gid(0) + lid(0)] % 3
        t: t = x[4*gid(0) + lid(0)]
        insn_1: d[4*gid(0) + lid(0)] = cast(float16, d[4*gid(0) + lid(0)])*t
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline int floor_mod_int(int a, int b)
{
    int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static inline half average(half a, half b)
{
    half s = a + b;
    return 0.5f * s;
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
half_kernel(__global half *restrict y, __global const half *restrict x, __global half *restrict z, __global half *restrict w, __global float *restrict f, __global int *restrict c, __global half *restrict v, __global double *restrict d, int const n, int const m)
{
    half t;
    half acc_k;

    if (4*gid(0) + lid(0) < n)
    {
        if (m >= 1)
        {
            y[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)] * x[4*gid(0) + lid(0)] - x[4*gid(0) + lid(0)] / 0.3h + 0.1f;
            z[4*gid(0) + lid(0)] = exp(x[4*gid(0) + lid(0)]) + fmax(x[4*gid(0) + lid(0)], 0.75h) * fma(x[4*gid(0) + lid(0)], x[4*gid(0) + lid(0)], x[4*gid(0) + lid(0)]);
            acc_k = 0.0h;
        }
        for (int k = 0; k < m; ++k)
            acc_k = acc_k + x[k] * x[4*gid(0) + lid(0)];
        if (m >= 1)
        {
            w[4*gid(0) + lid(0)] = acc_k + f[4*gid(0) + lid(0)];
            f[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)] * f[4*gid(0) + lid(0)] + fabs(-x[4*gid(0) + lid(0)]);
            c[4*gid(0) + lid(0)] = (int) (100.0h * x[4*gid(0) + lid(0)]) + (x[4*gid(0) + lid(0)] > 1.0h && isfinite(x[4*gid(0) + lid(0)]) != 0 ? 1 : 0);
            v[4*gid(0) + lid(0)] = (double) average(x[4*gid(0) + lid(0)], (half) 0.3f) + (double) (4 * gid(0) + lid(0)) + (double) floor_mod_int(c[4*gid(0) + lid(0)], 3);
            t = x[4*gid(0) + lid(0)];
            d[4*gid(0) + lid(0)] = (half) d[4*gid(0) + lid(0)] * t;
        }
    }
}
