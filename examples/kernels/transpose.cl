// out = transposed in, for a matrix of h*w elements: a tile in local memory makes both sides contiguous, its padding avoids conflicts
// of banks. A work-group of 32*8 work-items moves a tile of 32*32 elements.
#define TILE 32
#define ROWS 8

__kernel void transpose(__global float *out, __global const float *in, int w, int h)
{
    __local float tile[TILE][TILE + 1];
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);

    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h)
            tile[get_local_id(1) + j][get_local_id(0)] = in[(y + j) * w + x];

    barrier(CLK_LOCAL_MEM_FENCE);

    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = tile[get_local_id(0)][get_local_id(1) + j];
}
