// out = a 3*3 mean of in, an image of h*w elements, for the points that have all neighbours. A work-group of 16*16 work-items shares a tile
// with a halo of one point.
#define BX 16
#define BY 16

__kernel void blur_tiled(__global const float *restrict in, __global float *restrict out, const int w, const int h)
{
    __local float tile[BY + 2][BX + 2];
    const int x0 = get_group_id(0) * BX;
    const int y0 = get_group_id(1) * BY;
    const int lid = get_local_id(1) * BX + get_local_id(0);

    for (int k = lid; k < (BX + 2) * (BY + 2); k += BX * BY) {
        int ty = k / (BX + 2);
        int tx = k % (BX + 2);
        if (y0 + ty < h && x0 + tx < w)
            tile[ty][tx] = in[(y0 + ty) * w + x0 + tx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int x = get_local_id(0), y = get_local_id(1);
    if (x0 + x < w - 2 && y0 + y < h - 2) {
        float sum = 0.0f;
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
                sum += tile[y + dy][x + dx];
        out[(y0 + y + 1) * w + x0 + x + 1] = sum / 9.0f;
    }
}
