// --local 16,4 --global w-2,h-2
__constant int dx[4] = {1, -1, 0};
__constant int dy[][2] = {{0, 5}, {0, 5}, {1, 5}, {-1, 5}};
__constant int weight[3] = {1, 2, 1};

// The neighbours are where a table says, which the text has. Numbers that only values are made of are read.
__kernel void neighbours(__global const float *u, __global float *v, int w, int h)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    float s = 0.0f;
    for (int k = 0; k < 4; k++) {
        int at = y + dy[k][0];
        s += u[at * w + x + dx[k]];
    }
    for (int k = 0; k < 3; k++)
        s += weight[k] * u[y * w + k];
    if (x < w - 1 && y < h - 1)
        v[y * w + x] = s;
}
