/*
groups (n, 1, 1), work-items (16, 1, 1)
for k = 0 .. 799
    a: a[lid(0) + 16*k] = x[k] + lid(0)
barrier local (a: written by a, read by b)
b: b[lid(0)] = 0.5*a[12799 - lid(0)]
barrier local (b: written by b, read by insn)
insn: y[16*gid(0) + lid(0)] = b[15 - lid(0)] + a[lid(0) + 160*gid(0)]
*/
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(16, 1, 1)))
large(__global float *restrict y, __global const float *restrict x, int const n)
{
    __local float a[12800];
    __local double b[16];

    for (int k = 0; k <= 799; ++k)
        a[16*k + lid(0)] = x[k] + lid(0);
    barrier(CLK_LOCAL_MEM_FENCE); /* a: written by a, read by b */
    b[lid(0)] = 0.5f * a[12799 - lid(0)];
    barrier(CLK_LOCAL_MEM_FENCE); /* b: written by b, read by insn */
    y[16*gid(0) + lid(0)] = b[15 - lid(0)] + a[160*gid(0) + lid(0)];
}
