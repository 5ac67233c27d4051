/*
groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
if 4*gid(0) + lid(0) < n
    insn: start = p[4*gid(0) + lid(0)]
    insn_0: stop = p[4*gid(0) + lid(0) + 1]
    insn_1_j_outer_j_inner_init: acc_j_outer_j_inner = 0.0f
    for j_outer = floor(start/3) .. floor((stop + 2)/3) - 1
        for j_inner = max(-3*j_outer + start, 0) .. min(2, -3*j_outer + stop - 1)
            insn_1_j_outer_j_inner_update: acc_j_outer_j_inner = acc_j_outer_j_inner + val[3*j_outer + j_inner]*x[col[3*j_outer + j_inner]]
    insn_1: y[4*gid(0) + lid(0)] = acc_j_outer_j_inner
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

static inline int floor_div_int(int a, int b)
{
    int q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

__kernel void __attribute__((reqd_work_group_size(4, 1, 1)))
sparse_rows(__global const float *restrict x, __global const float *restrict val, __global const int *restrict col, __global const int *restrict p, __global float *restrict y, int const n)
{
    int start;
    long stop;
    float acc_j_outer_j_inner;

    if (4*gid(0) + lid(0) < n)
    {
        start = p[4*gid(0) + lid(0)];
        stop = p[4*gid(0) + lid(0) + 1];
        acc_j_outer_j_inner = 0.0f;
        for (int j_outer = floor_div_int(start, 3); j_outer <= floor_div_int((int) stop - 1, 3); ++j_outer)
            for (int j_inner = max(start - 3*j_outer, 0); j_inner < min(3, (int) stop - 3*j_outer); ++j_inner)
                acc_j_outer_j_inner = acc_j_outer_j_inner + val[3*j_outer + j_inner] * x[col[3*j_outer + j_inner]];
        y[4*gid(0) + lid(0)] = acc_j_outer_j_inner;
    }
}
