// nearest[i] = the number of the centre that is nearest to point i. Coordinates are stored one after the other: x[d*n + i].
__kernel void kmeans_assign(__global const float *x, __global const float *centres, __global int *nearest, int n, int k, int dims)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float least = FLT_MAX;
    int best = 0;
    for (int c = 0; c < k; c++) {
        float distance = 0.0f;
        for (int d = 0; d < dims; d++) {
            float diff = x[d * n + i] - centres[c * dims + d];
            distance += diff * diff;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}
