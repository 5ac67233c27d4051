/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn: y[4*gid(0) + lid(0)] = exp(x[4*gid(0) + lid(0)]) + x[4*gid(0) + lid(0)]**2 + sqrt(x[4*gid(0) + lid(0)])/3 - maximum(x[4*gid(0) + lid(0)], 1)*alpha + (x[4*gid(0) + lid(0)] if x[4*gid(0) + lid(0)] < 1 else 2*x[4*gid(0) + lid(0)])
    insn_0: z[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)]*0.1 + n/((4*gid(0) + lid(0)) + 1)
    insn_1: h[4*gid(0) + lid(0)] = abs(x[4*gid(0) + lid(0)] - 1) + fma(x[4*gid(0) + lid(0)], x[4*gid(0) + lid(0)], 2.5f) + x[4*gid(0) + lid(0)] % 0.75f
*/
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline float mod_float(float a, float b)
{
    return a - b * floor(a / b);
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
floats(__global float *restrict y, __global const float *restrict x, float const alpha, __global double *restrict z, __global float *restrict h, int const n)
{
    if (4*gid(0) + lid(0) < n)
    {
        y[4*gid(0) + lid(0)] = exp(x[4*gid(0) + lid(0)]) + pow(x[4*gid(0) + lid(0)], 2.0f) + sqrt(x[4*gid(0) + lid(0)]) / 3.0f - fmax(x[4*gid(0) + lid(0)], 1.0f) * alpha + (x[4*gid(0) + lid(0)] < 1.0f ? x[4*gid(0) + lid(0)] : 2.0f * x[4*gid(0) + lid(0)]);
        z[4*gid(0) + lid(0)] = x[4*gid(0) + lid(0)] * 0.1f + (double) n / (double) (4 * gid(0) + lid(0) + 1);
        h[4*gid(0) + lid(0)] = fabs(x[4*gid(0) + lid(0)] - 1.0f) + fma(x[4*gid(0) + lid(0)], x[4*gid(0) + lid(0)], 2.5f) + mod_float(x[4*gid(0) + lid(0)], 0.75f);
    }
}
