/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn_0_j_init: acc_j = -inf
    insn_0_j_index_init: acc_j_0 = -1
    for j = 0 .. m - 1
        insn_0_j_item: item_j = x[4*gid(0) + lid(0), j]
        insn_0_j_index: acc_j_0 = j if item_j > acc_j else acc_j_0
        insn_0_j_update: acc_j = max(acc_j, item_j)
    insn_0: at[4*gid(0) + lid(0)] = acc_j_0
    insn: v[4*gid(0) + lid(0)] = acc_j
    insn_2_j_0_k_init: acc_j_k = inf
    insn_2_j_0_k_index_init: acc_j_0_k = -1
    for k = 0 .. m - 1
        for j_0 = 0 .. m - 1
            insn_2_j_0_k_item: item_j_0_k = x[4*gid(0) + lid(0), j_0] - p[4*gid(0) + lid(0), k]
            insn_2_j_0_k_index: acc_j_0_k = j_0*m + k if item_j_0_k < acc_j_k else acc_j_0_k
            insn_2_j_0_k_update: acc_j_k = min(acc_j_k, item_j_0_k)
    insn_2: where = acc_j_0_k
    insn_1: low = acc_j_k
    insn_3: y[4*gid(0) + lid(0)] = where + (1 if low < 0 else 0)
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
extremes(__global float *restrict v, __global const float *restrict x, __global int *restrict at, __global const int *restrict p, __global int *restrict y, int const n, int const m)
{
    float low;
    int where;
    float acc_j;
    float acc_j_k;
    int acc_j_0;
    float item_j;
    int acc_j_0_k;
    float item_j_0_k;

    if (4*gid(0) + lid(0) < n)
    {
        acc_j = -INFINITY;
        acc_j_0 = -1;
        for (int j = 0; j < m; ++j)
        {
            item_j = x[m*(4*gid(0) + lid(0)) + j];
            acc_j_0 = item_j > acc_j ? j : acc_j_0;
            acc_j = fmax(acc_j, item_j);
        }
        at[4*gid(0) + lid(0)] = acc_j_0;
        v[4*gid(0) + lid(0)] = acc_j;
        acc_j_k = INFINITY;
        acc_j_0_k = -1;
        for (int k = 0; k < m; ++k)
            for (int j_0 = 0; j_0 < m; ++j_0)
            {
                item_j_0_k = x[m*(4*gid(0) + lid(0)) + j_0] - p[m*(4*gid(0) + lid(0)) + k];
                acc_j_0_k = item_j_0_k < acc_j_k ? j_0 * m + k : acc_j_0_k;
                acc_j_k = fmin(acc_j_k, item_j_0_k);
            }
        where = acc_j_0_k;
        low = acc_j_k;
        y[4*gid(0) + lid(0)] = where + (low < 0.0f ? 1 : 0);
    }
}
