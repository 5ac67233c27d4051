// --local 32 --global n
__kernel void atomics(__global const uchar *data, __global uint *counts, uint n)
{
    __local uint bins[256];
    uint lid = get_local_id(0);
    for (uint b = lid; b < 256; b += get_local_size(0))
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint i = get_global_id(0);
    if (i < n)
        atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = lid; b < 256; b += get_local_size(0))
        atomic_add(&counts[b], bins[b]);
}
