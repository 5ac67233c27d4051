/*
groups (floor((n + 1)/2), 1, 1), work-items (11, 2, 1)
if 2*gid(0) + lid(1) < n
    insn_l_part_k_init: acc_k = 0.0f
    for k = 0 .. 2
        insn_l_part_k_update: acc_k = acc_k + x[2*gid(0) + lid(1), lid(0), k]*x[2*gid(0) + lid(1), lid(0), k]
    insn_l_part: acc_l[lid(1), lid(0)] = acc_k
barrier local (acc_l: written by insn_l_part, read by insn_l_step)
if lid(0) <= 4 and 2*gid(0) + lid(1) < n
    insn_l_step: acc_l[lid(1), lid(0)] = acc_l[lid(1), lid(0)] + acc_l[lid(1), lid(0) + 6]
barrier local (acc_l: written by insn_l_step, read by insn_l_step_0)
if lid(0) <= 2 and 2*gid(0) + lid(1) < n
    insn_l_step_0: acc_l[lid(1), lid(0)] = acc_l[lid(1), lid(0)] + acc_l[lid(1), lid(0) + 3]
barrier local (acc_l: written by insn_l_step_0, read by insn_l_step_1)
if lid(0) = 0 and 2*gid(0) + lid(1) < n
    insn_l_step_1: acc_l[lid(1), lid(0)] = acc_l[lid(1), lid(0)] + acc_l[lid(1), lid(0) + 2]
    insn_l_step_2: acc_l[lid(1), lid(0)] = acc_l[lid(1), lid(0)] + acc_l[lid(1), lid(0) + 1]
barrier local (acc_l: written by insn_l_step_2, read by insn)
if 2*gid(0) + lid(1) < n
    insn: s = acc_l[lid(1), 0]
    insn_0: y[2*gid(0) + lid(1), lid(0)] = x[2*gid(0) + lid(1), lid(0), 0]/s
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(11, 2, 1)))
norms(__global const float *restrict x, __global float *restrict y, int const n)
{
    __local float acc_l[2*11];
    float s;
    float acc_k;

    if (2*gid(0) + lid(1) < n)
    {
        acc_k = 0.0f;
        for (int k = 0; k <= 2; ++k)
            acc_k = acc_k + x[66*gid(0) + 33*lid(1) + 3*lid(0) + k] * x[66*gid(0) + 33*lid(1) + 3*lid(0) + k];
        acc_l[11*lid(1) + lid(0)] = acc_k;
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_l: written by insn_l_part, read by insn_l_step */
    if (lid(0) <= 4 && 2*gid(0) + lid(1) < n)
        acc_l[11*lid(1) + lid(0)] = acc_l[11*lid(1) + lid(0)] + acc_l[11*lid(1) + lid(0) + 6];
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_l: written by insn_l_step, read by insn_l_step_0 */
    if (lid(0) <= 2 && 2*gid(0) + lid(1) < n)
        acc_l[11*lid(1) + lid(0)] = acc_l[11*lid(1) + lid(0)] + acc_l[11*lid(1) + lid(0) + 3];
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_l: written by insn_l_step_0, read by insn_l_step_1 */
    if (lid(0) == 0 && 2*gid(0) + lid(1) < n)
    {
        acc_l[11*lid(1)] = acc_l[11*lid(1)] + acc_l[11*lid(1) + 2];
        acc_l[11*lid(1)] = acc_l[11*lid(1)] + acc_l[11*lid(1) + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_l: written by insn_l_step_2, read by insn */
    if (2*gid(0) + lid(1) < n)
    {
        s = acc_l[11*lid(1)];
        y[22*gid(0) + 11*lid(1) + lid(0)] = x[66*gid(0) + 33*lid(1) + 3*lid(0)] / s;
    }
}
