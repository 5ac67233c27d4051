/*
groups (n, 1, 1), work-items (4, 1, 1)
v: v = x[16*gid(0) + 4*lid(0); 4]*2 + alpha
w: w = fmax(v, x[16*gid(0) + 4*lid(0) + 1; 4]) - sqrt(v)/3
t: t[4*lid(0); 4] = shift(w, v) + (v if lid(0) > 1 else 1)
insn: z[gid(0), 4*lid(0)] = t[4*lid(0) + 3]
insn_0: q[gid(0), 4*lid(0) + 1; 2] = cast(int32x2, 3*x[gid(0) + 5*lid(0); 2]) - p[2*lid(0); 2]
insn_1: u[gid(0), 4*lid(0); 4] = c[4*gid(0); 4]
barrier local (t: written by t, read by y)
y: y[gid(0), 4*lid(0); 4] = t[12 - 4*lid(0); 4]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline float4 shift(float4 a, float4 b)
{
    return a + 0.5f*b;
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
vectors(__global int *restrict q, __global const float *restrict x, __constant float *restrict c, float const alpha, __global float *restrict y, __global float *restrict z, __global const int *restrict p, __global float *restrict u, int const n)
{
    __local float t[16] __attribute__((aligned(16)));
    float4 v;
    float4 w;

    v = *((__global const float4 *) (x + 16*gid(0) + 4*lid(0))) * 2.0f + alpha;
    w = fmax(v, vload4(0, x + 16*gid(0) + 4*lid(0) + 1)) - sqrt(v) / 3.0f;
    *((__local float4 *) (t + 4*lid(0))) = shift(w, v) + (lid(0) > 1 ? v : ((float4) (1.0f)));
    z[16*gid(0) + 4*lid(0)] = t[4*lid(0) + 3];
    vstore2(convert_int2(3.0f * vload2(0, x + 5*lid(0) + gid(0))) - *((__global const int2 *) (p + 2*lid(0))), 0, q + 17*gid(0) + 4*lid(0) + 1);
    *((__global float4 *) (u + 16*gid(0) + 4*lid(0))) = *((__constant float4 *) (c + 4*gid(0)));
    barrier(CLK_LOCAL_MEM_FENCE); /* t: written by t, read by y */
    *((__global float4 *) (y + 16*gid(0) + 4*lid(0))) = *((__local float4 *) (t + 12 - 4*lid(0)));
}
