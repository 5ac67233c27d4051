/*
groups (floor((n + 7)/8), 1, 1), work-items (8, 1, 1)
if 8*gid(0) + lid(0) < n
    if m > 0
        init: acc = 0
    for k = 0 .. m - 1
        up: acc = acc + x[8*gid(0) + lid(0), 4*k; 4]*x[8*gid(0) + lid(0), 4*k; 4]
    if m > 0
        s: s[0; 4] = acc
        r0: r = 0.0f
        unroll u = 0 .. 3
            r: r = r + s[u]
        insn: y[8*gid(0) + lid(0)] = r
        insn_0_k_0_init: acc_k_0 = 0.0f
    for k_0 = 0 .. m - 1
        insn_0_k_0_update: acc_k_0 = acc_k_0 + x[8*gid(0) + lid(0), 4*k_0]*2
    if m > 0
        insn_0: z[8*gid(0) + lid(0)] = acc_k_0
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
privates(__global const float *restrict x, __global float *restrict y, __global float *restrict z, int const n, int const m)
{
    float s[4] __attribute__((aligned(16)));
    float4 acc;
    float r;
    float acc_k_0;

    if (8*gid(0) + lid(0) < n)
    {
        if (m >= 1)
            acc = ((float4) (0.0f));
        for (int k = 0; k < m; ++k)
            acc = acc + *((__global const float4 *) (x + 4*m*(8*gid(0) + lid(0)) + 4*k)) * *((__global const float4 *) (x + 4*m*(8*gid(0) + lid(0)) + 4*k));
        if (m >= 1)
        {
            *((float4 *) (s)) = acc;
            r = 0.0f;
            r = r + s[0];
            r = r + s[1];
            r = r + s[2];
            r = r + s[3];
            y[8*gid(0) + lid(0)] = r;
            acc_k_0 = 0.0f;
        }
        for (int k_0 = 0; k_0 < m; ++k_0)
            acc_k_0 = acc_k_0 + x[4*m*(8*gid(0) + lid(0)) + 4*k_0] * 2.0f;
        if (m >= 1)
            z[8*gid(0) + lid(0)] = acc_k_0;
    }
}
