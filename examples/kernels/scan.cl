// Inclusive prefix sums within each work-group, by the method of Hillis and Steele with two buffers in local memory.
__kernel void scan(__global const int *in, __global int *out, int n, __local int *buffers)
{
    const int lid = get_local_id(0);
    const int size = get_local_size(0);
    const int i = get_global_id(0);
    int from = 0, to = 1;
    buffers[lid] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = 1; offset < size; offset <<= 1) {
        if (lid >= offset)
            buffers[to * size + lid] = buffers[from * size + lid] + buffers[from * size + lid - offset];
        else
            buffers[to * size + lid] = buffers[from * size + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        from = 1 - from;
        to = 1 - to;
    }
    if (i < n)
        out[i] = buffers[from * size + lid];
}
