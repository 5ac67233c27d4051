/*
groups (floor((n + 7)/8), 1, 1), work-items (8, 1, 1)
if 8*gid(0) + lid(0) < n
    insn: y[4*(8*gid(0) + lid(0)); 4] = x[4*(8*gid(0) + lid(0)); 4]*x[4*(8*gid(0) + lid(0)); 4] + 2*x[4*(8*gid(0) + lid(0)) + 1; 4]
    insn_0: z[4*(8*gid(0) + lid(0)); 4] = sqrt(x[4*(8*gid(0) + lid(0)); 4])
*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
half_vectors(__global const half *restrict x, __global half *restrict y, __global half *restrict z, int const n)
{
    if (8*gid(0) + lid(0) < n)
    {
        *((__global half4 *) (y + 32*gid(0) + 4*lid(0))) = *((__global const half4 *) (x + 32*gid(0) + 4*lid(0))) * *((__global const half4 *) (x + 32*gid(0) + 4*lid(0))) + 2.0h * vload4(0, x + 32*gid(0) + 4*lid(0) + 1);
        *((__global half4 *) (z + 32*gid(0) + 4*lid(0))) = sqrt(*((__global const half4 *) (x + 32*gid(0) + 4*lid(0))));
    }
}
