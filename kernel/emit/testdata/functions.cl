/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn: y[4*gid(0) + lid(0)] = axpy(x[4*gid(0) + lid(0)], 2, p[4*gid(0) + lid(0)]) + inside(p[4*gid(0) + lid(0)])*step(x[4*gid(0) + lid(0)])
    insn_0: w[4*gid(0) + lid(0)] = inside(cast(int32, 2*x[4*gid(0) + lid(0)]) - 1)
*/
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
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

static inline float step_(float float_)
{
    return float_ - 1.0f;
}

static inline float twice(float v)
{
    return 2.0f * v;
}

static inline float axpy(float x, float a, float y)
{
    float r = a*x;
    return r + y;
}

static inline int inside(int i_inner)
{
    int half_ = floor_div_int(i_inner - 3, 2);
    float t = twice((float) half_);
    return (float) half_ + (float) (i_inner > 2 ? 7 : floor_mod_int(i_inner, 5)) + t;
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
functions(__global float *restrict y, __global const float *restrict x, __global const int *restrict p, __global double *restrict w, int const n)
{
    if (4*gid(0) + lid(0) < n)
    {
        y[4*gid(0) + lid(0)] = axpy(x[4*gid(0) + lid(0)], 2.0f, (float) p[4*gid(0) + lid(0)]) + inside(p[4*gid(0) + lid(0)]) * step_(x[4*gid(0) + lid(0)]);
        w[4*gid(0) + lid(0)] = inside((int) (2.0f * x[4*gid(0) + lid(0)]) - 1);
    }
}
