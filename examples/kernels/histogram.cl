// counts[v] += how often the byte v occurs in data: a work-group counts in local memory first.
#define BINS 256

__kernel void histogram(__global const uchar *data, __global uint *counts, uint n)
{
    __local uint bins[BINS];
    uint lid = get_local_id(0);
    for (uint b = lid; b < BINS; b += get_local_size(0))
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = lid; b < BINS; b += get_local_size(0))
        atomic_add(&counts[b], bins[b]);
}
