// --local 16 --global n --shared part=16
__kernel void tree(__global const float *x, __global float *sums, int n, __local float *part)
{
    int tid = get_local_id(0), i = get_global_id(0);
    part[tid] = i < n ? x[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (tid < s)
            part[tid] += part[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        sums[get_group_id(0)] = part[0];
}
