/*
groups (1, 1, 1), work-items (1, 1, 1)
for dot = 1 .. n - 1
    insn_i_init: acc_i = 0.0f
    for i = 0 .. dot - 1
        insn_i_update: acc_i = acc_i + clamp[i]
    insn: step[dot] = acc_i
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(1, 1, 1)))
mix_(__global float *restrict step_, __global const float *restrict clamp_, int const n)
{
    float acc_i;

    for (int dot_ = 1; dot_ < n; ++dot_)
    {
        acc_i = 0.0f;
        for (int i = 0; i < dot_; ++i)
            acc_i = acc_i + clamp_[i];
        step_[dot_] = acc_i;
    }
}
