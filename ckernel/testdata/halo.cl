// --local 8,8 --global w,h
__kernel void halo(__global const float *in, __global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (x + dx < 0 || x + dx >= w)
                continue;
            if (y + dy >= 0 && y + dy < h)
                sum += in[(y + dy) * w + x + dx];
        }
    out[y * w + x] = sum;
}
