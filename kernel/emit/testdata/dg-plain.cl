/*
groups (floor((nelements + 3)/4), floor((nunit_nodes + 3)/4), 1), work-items (4, 4, 1)
if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
    for m = 0 .. 2
        insn_j_init: acc_j = 0.0f
        for j = 0 .. nunit_nodes - 1
            insn_j_update: acc_j = acc_j + diff_mat[m, 4*gid(1) + lid(1), j]*u[4*gid(0) + lid(0), j]
        insn: res[m, 4*gid(0) + lid(0), 4*gid(1) + lid(1)] = acc_j
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 4, 1)))
dg(__global float *restrict res, __global const float *restrict diff_mat, __global const float *restrict u, int const nelements, int const nunit_nodes)
{
    float acc_j;

    if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
        for (int m = 0; m <= 2; ++m)
        {
            acc_j = 0.0f;
            for (int j = 0; j < nunit_nodes; ++j)
                acc_j = acc_j + diff_mat[nunit_nodes*nunit_nodes*m + nunit_nodes*(4*gid(1) + lid(1)) + j] * u[nunit_nodes*(4*gid(0) + lid(0)) + j];
            res[nelements*nunit_nodes*m + nunit_nodes*(4*gid(0) + lid(0)) + 4*gid(1) + lid(1)] = acc_j;
        }
}
