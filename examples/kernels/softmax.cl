// Softmax of each of the rows of a matrix with n columns: a work-group takes a row, and finds its maximum and its sum by trees in local
// memory.
#define WG 64

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void softmax(__global const float *in, __global float *out, int n)
{
    __local float part[WG];
    const int lid = get_local_id(0);
    __global const float *row = in + get_group_id(0) * n;
    __global float *to = out + get_group_id(0) * n;

    float top = -INFINITY;
    for (int i = lid; i < n; i += WG)
        top = fmax(top, row[i]);
    part[lid] = top;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = WG / 2; s > 0; s >>= 1) {
        if (lid < s)
            part[lid] = fmax(part[lid], part[lid + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    top = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int i = lid; i < n; i += WG) {
        float e = exp(row[i] - top);
        to[i] = e;
        sum += e;
    }
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = WG / 2; s > 0; s >>= 1) {
        if (lid < s)
            part[lid] += part[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float scale = 1.0f / part[0];
    for (int i = lid; i < n; i += WG)
        to[i] *= scale;
}
