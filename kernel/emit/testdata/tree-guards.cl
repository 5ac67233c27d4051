/*
groups (1, 1, 1), work-items (8, 1, 1)
insn_i_inner_init: acc_i_inner[lid(0)] = -inf
if lid(0) >= 8*floor((lid(0) - n)/8) + 8
    insn_i_inner_part_i_outer_init: acc_i_outer = -inf
for i_outer = 0 .. -floor((lid(0) - n)/8) - 1
    insn_i_inner_part_i_outer_update: acc_i_outer = max(acc_i_outer, x[8*i_outer + lid(0)])
if lid(0) >= 8*floor((lid(0) - n)/8) + 8
    insn_i_inner_part: acc_i_inner[lid(0)] = acc_i_outer
insn_0_i_inner_0_init: acc_i_inner_0[lid(0)] = 0
if lid(0) >= 8*floor((lid(0) - n)/8) + 8
    insn_0_i_inner_0_part_i_outer_0_init: acc_i_outer_0 = 0
for i_outer_0 = 0 .. -floor((lid(0) - n)/8) - 1
    insn_0_i_inner_0_part_i_outer_0_update: acc_i_outer_0 = acc_i_outer_0 or x[8*i_outer_0 + lid(0)] > 1.5f
if lid(0) >= 8*floor((lid(0) - n)/8) + 8
    insn_0_i_inner_0_part: acc_i_inner_0[lid(0)] = acc_i_outer_0
barrier local (acc_i_inner: written by insn_i_inner_part, read by insn_i_inner_step)
if lid(0) <= 3
    insn_i_inner_step: acc_i_inner[lid(0)] = max(acc_i_inner[lid(0)], acc_i_inner[lid(0) + 4])
    insn_0_i_inner_0_step: acc_i_inner_0[lid(0)] = acc_i_inner_0[lid(0)] or acc_i_inner_0[lid(0) + 4]
barrier local (acc_i_inner: written by insn_i_inner_step, read by insn_i_inner_step_0)
if lid(0) <= 1
    insn_i_inner_step_0: acc_i_inner[lid(0)] = max(acc_i_inner[lid(0)], acc_i_inner[lid(0) + 2])
    insn_0_i_inner_0_step_0: acc_i_inner_0[lid(0)] = acc_i_inner_0[lid(0)] or acc_i_inner_0[lid(0) + 2]
barrier local (acc_i_inner: written by insn_i_inner_step_0, read by insn_i_inner_step_1)
if lid(0) = 0
    insn_i_inner_step_1: acc_i_inner[lid(0)] = max(acc_i_inner[lid(0)], acc_i_inner[lid(0) + 1])
    insn: y[0] = acc_i_inner[0]
    insn_0_i_inner_0_step_1: acc_i_inner_0[lid(0)] = acc_i_inner_0[lid(0)] or acc_i_inner_0[lid(0) + 1]
    insn_0: z[0] = 1 if acc_i_inner_0[0] else 0
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline int floor_div_int(int a, int b)
{
    int q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

__kernel void __attribute__((reqd_work_group_size(8, 1, 1)))
totals(__global float *restrict y, __global const float *restrict x, __global int *restrict z, int const n)
{
    __local float acc_i_inner[8];
    __local uchar acc_i_inner_0[8];
    float acc_i_outer;
    uchar acc_i_outer_0;

    acc_i_inner[lid(0)] = -INFINITY;
    if (8*floor_div_int(lid(0) - n, 8) + 8 <= lid(0))
        acc_i_outer = -INFINITY;
    for (int i_outer = 0; i_outer <= floor_div_int(n - lid(0) - 1, 8); ++i_outer)
        acc_i_outer = fmax(acc_i_outer, x[8*i_outer + lid(0)]);
    if (8*floor_div_int(lid(0) - n, 8) + 8 <= lid(0))
        acc_i_inner[lid(0)] = acc_i_outer;
    acc_i_inner_0[lid(0)] = 0 != 0;
    if (8*floor_div_int(lid(0) - n, 8) + 8 <= lid(0))
        acc_i_outer_0 = 0 != 0;
    for (int i_outer_0 = 0; i_outer_0 <= floor_div_int(n - lid(0) - 1, 8); ++i_outer_0)
        acc_i_outer_0 = acc_i_outer_0 || x[8*i_outer_0 + lid(0)] > 1.5f;
    if (8*floor_div_int(lid(0) - n, 8) + 8 <= lid(0))
        acc_i_inner_0[lid(0)] = acc_i_outer_0;
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_i_inner: written by insn_i_inner_part, read by insn_i_inner_step */
    if (lid(0) <= 3)
    {
        acc_i_inner[lid(0)] = fmax(acc_i_inner[lid(0)], acc_i_inner[lid(0) + 4]);
        acc_i_inner_0[lid(0)] = acc_i_inner_0[lid(0)] || acc_i_inner_0[lid(0) + 4];
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_i_inner: written by insn_i_inner_step, read by insn_i_inner_step_0 */
    if (lid(0) <= 1)
    {
        acc_i_inner[lid(0)] = fmax(acc_i_inner[lid(0)], acc_i_inner[lid(0) + 2]);
        acc_i_inner_0[lid(0)] = acc_i_inner_0[lid(0)] || acc_i_inner_0[lid(0) + 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* acc_i_inner: written by insn_i_inner_step_0, read by insn_i_inner_step_1 */
    if (lid(0) == 0)
    {
        acc_i_inner[0] = fmax(acc_i_inner[0], acc_i_inner[1]);
        y[0] = acc_i_inner[0];
        acc_i_inner_0[0] = acc_i_inner_0[0] || acc_i_inner_0[1];
        z[0] = acc_i_inner_0[0] ? 1 : 0;
    }
}
