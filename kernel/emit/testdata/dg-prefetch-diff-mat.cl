/*
groups (floor((nelements + 3)/4), floor((nunit_nodes + 3)/4), 1), work-items (4, 4, 1)
for m = 0 .. 2
    if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
        insn_j_outer_j_inner_init: acc_j_outer_j_inner = 0.0f
    for j_outer = 0 .. floor((nunit_nodes + 3)/4) - 1
        barrier local (diff_mat_fetch: read by insn_j_outer_j_inner_update, written by diff_mat_fetch_rule)
        if 4*gid(1) + lid(1) < nunit_nodes and 4*j_outer + lid(0) < nunit_nodes
            diff_mat_fetch_rule: diff_mat_fetch[lid(1), lid(0)] = diff_mat[m, 4*gid(1) + lid(1), 4*j_outer + lid(0)]
        barrier local (diff_mat_fetch: written by diff_mat_fetch_rule, read by insn_j_outer_j_inner_update)
        if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
            for j_inner = 0 .. min(3, -4*j_outer + nunit_nodes - 1)
                insn_j_outer_j_inner_update: acc_j_outer_j_inner = acc_j_outer_j_inner + diff_mat_fetch[lid(1), j_inner]*u[4*gid(0) + lid(0), 4*j_outer + j_inner]
    if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
        insn: res[m, 4*gid(0) + lid(0), 4*gid(1) + lid(1)] = acc_j_outer_j_inner
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 4, 1)))
dg(__global float *restrict res, __global const float *restrict diff_mat, __global const float *restrict u, int const nelements, int const nunit_nodes)
{
    __local float diff_mat_fetch[4*4];
    float acc_j_outer_j_inner;

    for (int m = 0; m <= 2; ++m)
    {
        if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
            acc_j_outer_j_inner = 0.0f;
        for (int j_outer = 0; j_outer <= (nunit_nodes - 1) / 4; ++j_outer)
        {
            barrier(CLK_LOCAL_MEM_FENCE); /* diff_mat_fetch: read by insn_j_outer_j_inner_update, written by diff_mat_fetch_rule */
            if (4*gid(1) + lid(1) < nunit_nodes && 4*j_outer + lid(0) < nunit_nodes)
                diff_mat_fetch[4*lid(1) + lid(0)] = diff_mat[nunit_nodes*nunit_nodes*m + nunit_nodes*(4*gid(1) + lid(1)) + 4*j_outer + lid(0)];
            barrier(CLK_LOCAL_MEM_FENCE); /* diff_mat_fetch: written by diff_mat_fetch_rule, read by insn_j_outer_j_inner_update */
            if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
                for (int j_inner = 0; j_inner < min(4, nunit_nodes - 4*j_outer); ++j_inner)
                    acc_j_outer_j_inner = acc_j_outer_j_inner + diff_mat_fetch[4*lid(1) + j_inner] * u[nunit_nodes*(4*gid(0) + lid(0)) + 4*j_outer + j_inner];
        }
        if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
            res[nelements*nunit_nodes*m + nunit_nodes*(4*gid(0) + lid(0)) + 4*gid(1) + lid(1)] = acc_j_outer_j_inner;
    }
}
