/*
groups (floor((nelements + 3)/4), floor((nunit_nodes + 3)/4), 1), work-items (4, 4, 1)
if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
    for m_0 = 0 .. 2
        insn_j_outer_j_inner_init: acc_j_outer_j_inner[m_0] = 0.0f
for j_outer = 0 .. floor((nunit_nodes + 3)/4) - 1
    barrier local (u_fetch: read by insn_j_outer_j_inner_update, written by u_fetch_rule)
    if 4*j_outer + lid(0) < nunit_nodes and 4*gid(0) + lid(1) < nelements
        u_fetch_rule: u_fetch[lid(1), lid(0)] = u[4*gid(0) + lid(1), 4*j_outer + lid(0)]
    barrier local (u_fetch: written by u_fetch_rule, read by insn_j_outer_j_inner_update)
    if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
        for j_inner = 0 .. min(3, -4*j_outer + nunit_nodes - 1)
            for m = 0 .. 2
                insn_j_outer_j_inner_update: acc_j_outer_j_inner[m] = acc_j_outer_j_inner[m] + diff_mat[m, 4*gid(1) + lid(1), 4*j_outer + j_inner]*u_fetch[lid(0), j_inner]
if 4*gid(1) + lid(1) < nunit_nodes and 4*gid(0) + lid(0) < nelements
    for m_1 = 0 .. 2
        insn: res[m_1, 4*gid(0) + lid(0), 4*gid(1) + lid(1)] = acc_j_outer_j_inner[m_1]
*/
#define lid(N) ((int) get_local_id(N))
#define gid(N) ((int) get_group_id(N))

__kernel void __attribute__((reqd_work_group_size(4, 4, 1)))
dg(__global float *restrict res, __global const float *restrict diff_mat, __global const float *restrict u, int const nelements, int const nunit_nodes)
{
    __local float u_fetch[4*4];
    float acc_j_outer_j_inner[3];

    if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
        for (int m_0 = 0; m_0 <= 2; ++m_0)
            acc_j_outer_j_inner[m_0] = 0.0f;
    for (int j_outer = 0; j_outer <= (nunit_nodes - 1) / 4; ++j_outer)
    {
        barrier(CLK_LOCAL_MEM_FENCE); /* u_fetch: read by insn_j_outer_j_inner_update, written by u_fetch_rule */
        if (4*j_outer + lid(0) < nunit_nodes && 4*gid(0) + lid(1) < nelements)
            u_fetch[4*lid(1) + lid(0)] = u[nunit_nodes*(4*gid(0) + lid(1)) + 4*j_outer + lid(0)];
        barrier(CLK_LOCAL_MEM_FENCE); /* u_fetch: written by u_fetch_rule, read by insn_j_outer_j_inner_update */
        if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
            for (int j_inner = 0; j_inner < min(4, nunit_nodes - 4*j_outer); ++j_inner)
                for (int m = 0; m <= 2; ++m)
                    acc_j_outer_j_inner[m] = acc_j_outer_j_inner[m] + diff_mat[nunit_nodes*nunit_nodes*m + nunit_nodes*(4*gid(1) + lid(1)) + 4*j_outer + j_inner] * u_fetch[4*lid(0) + j_inner];
    }
    if (4*gid(1) + lid(1) < nunit_nodes && 4*gid(0) + lid(0) < nelements)
        for (int m_1 = 0; m_1 <= 2; ++m_1)
            res[nelements*nunit_nodes*m_1 + nunit_nodes*(4*gid(0) + lid(0)) + 4*gid(1) + lid(1)] = acc_j_outer_j_inner[m_1];
}
