// out = in convolved with a mask of 5*5 elements in constant memory; points beyond the edges of the image of h*w elements count as 0.
#define R 2

__kernel void convolve(__global const float *in, __constant float *mask, __global float *out, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
                sum += mask[(dy + R) * (2 * R + 1) + dx + R] * in[(y + dy) * w + x + dx];
    out[y * w + x] = sum;
}
