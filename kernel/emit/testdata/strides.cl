/*
groups (1, 1, 1), work-items (1, 1, 1)
for i = 1 .. n - 1 step 3
    zero: y[i] = 0
    for k = ((i) mod 2) .. n - 1 step 2
        insn: y[i] = y[i] + x[k // 2]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(1, 1, 1)))
strides(__global float *restrict y, __global const float *restrict x, int const n)
{
    for (int i = 1; i < n; i += 3)
    {
        y[i] = 0.0f;
        for (int k = i % 2; k < n; k += 2)
            y[i] = y[i] + x[k / 2];
    }
}
