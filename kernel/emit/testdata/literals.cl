/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn: y[4*gid(0) + lid(0)] = 0.1*x[4*gid(0) + lid(0)] + 1.0/3.0 - sqrt(2)*x[4*gid(0) + lid(0)] + (0.7 if x[4*gid(0) + lid(0)] > 8.1 else -0.7)*x[4*gid(0) + lid(0)]
    insn_0: z[4*gid(0) + lid(0)] = 0.1*z[4*gid(0) + lid(0)] + 1.0/3.0 - sqrt(2.0)*z[4*gid(0) + lid(0)] + sin(0.1)*(0.3*(4*gid(0) + lid(0))) + (0.1 if x[4*gid(0) + lid(0)] > 8.1 else 2)
    insn_1: w[4*gid(0) + lid(0)] = 0.1d*x[4*gid(0) + lid(0)] + 0.1f*z[4*gid(0) + lid(0)] + maximum(0.1, z[4*gid(0) + lid(0)])**2.1 + cast(float64, 0.1)
    insn_2: v[4*gid(0) + lid(0)] = 0.1*(4*gid(0) + lid(0)) + scale(0.1, 0.1)
insn_3: c = 0.1
if 4*gid(0) + lid(0) < n
    insn_4: s[4*gid(0) + lid(0)] = c*x[4*gid(0) + lid(0)] + 3000000000*x[4*gid(0) + lid(0)]
    u: u[4*gid(0) + lid(0)] = (u[4*gid(0) + lid(0)]*1664525 + 1013904223) % 4294967295 - 1
    insn_5: l[4*gid(0) + lid(0)] = (u[4*gid(0) + lid(0)] + 18446744073) % 1000 + l[4*gid(0) + lid(0)] % 10 + 5
*/
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline long floor_mod_long(long a, long b)
{
    long r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static inline double scale(double a, float b)
{
    double c = 0.3 * a;
    return c * 0.1 + 0.7f * b;
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
literals(__global float *restrict y, __global const float *restrict x, __global double *restrict z, __global double *restrict w, __global double *restrict v, __global float *restrict s, __global uint *restrict u, __global ulong *restrict l, int const n)
{
    float c;

    if (4*gid(0) + lid(0) < n)
    {
        y[4*gid(0) + lid(0)] = 0.1f * x[4*gid(0) + lid(0)] + 1.0f / 3.0f - sqrt(2.0f) * x[4*gid(0) + lid(0)] + (x[4*gid(0) + lid(0)] > 8.1f ? 0.7f : -0.7f) * x[4*gid(0) + lid(0)];
        z[4*gid(0) + lid(0)] = 0.1 * z[4*gid(0) + lid(0)] + 1.0 / 3.0 - sqrt(2.0) * z[4*gid(0) + lid(0)] + sin(0.1) * (0.3 * (4 * gid(0) + lid(0))) + (x[4*gid(0) + lid(0)] > 8.1f ? 0.1 : 2.0);
        w[4*gid(0) + lid(0)] = 0.1 * x[4*gid(0) + lid(0)] + 0.1f * z[4*gid(0) + lid(0)] + pow(fmax(0.1, z[4*gid(0) + lid(0)]), 2.1) + 0.1;
        v[4*gid(0) + lid(0)] = 0.1 * (4 * gid(0) + lid(0)) + scale(0.1, 0.1f);
    }
    c = 0.1f;
    if (4*gid(0) + lid(0) < n)
    {
        s[4*gid(0) + lid(0)] = c * x[4*gid(0) + lid(0)] + 3e+09f * x[4*gid(0) + lid(0)];
        u[4*gid(0) + lid(0)] = (u[4*gid(0) + lid(0)] * 1664525U + 1013904223U) % 4294967295U - 1U;
        l[4*gid(0) + lid(0)] = (double) floor_mod_long((long) u[4*gid(0) + lid(0)] + 18446744073L, 1000L) + (double) (l[4*gid(0) + lid(0)] % 10UL) + 5.0;
    }
}
