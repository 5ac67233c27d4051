/*
groups (1, 1, 1), work-items (1, 1, 1)
for half = 1 .. n - 1
    insn_i_init: acc_i = 0.0f
    for i = 0 .. half - 1
        insn_i_update: acc_i = acc_i + exp[i]
    insn: float[half] = acc_i
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(1, 1, 1)))
kernel_(__global float *restrict float_, __global const float *restrict exp_, int const n)
{
    float acc_i;

    for (int half_ = 1; half_ < n; ++half_)
    {
        acc_i = 0.0f;
        for (int i = 0; i < half_; ++i)
            acc_i = acc_i + exp_[i];
        float_[half_] = acc_i;
    }
}
