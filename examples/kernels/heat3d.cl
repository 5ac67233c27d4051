// One step of the heat equation with a 7-point stencil on a grid of nz*ny*nx points. A work-item walks along z and keeps three values.
#define AT(x, y, z) ((z) * nx * ny + (y) * nx + (x))

__kernel void heat3d(__global const float *in, __global float *out, float c0, float c1, int nx, int ny, int nz)
{
    int i = get_global_id(0);
    int j = get_global_id(1);
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1)
        return;
    float below = in[AT(i, j, 0)];
    float here = in[AT(i, j, 1)];
    for (int k = 1; k < nz - 1; k++) {
        float above = in[AT(i, j, k + 1)];
        out[AT(i, j, k)] = c1 * (above + below + in[AT(i - 1, j, k)] + in[AT(i + 1, j, k)] + in[AT(i, j - 1, k)] + in[AT(i, j + 1, k)]) - c0 * here;
        below = here;
        here = above;
    }
}
