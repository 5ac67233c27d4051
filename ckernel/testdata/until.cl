// --local 32 --global n --assume trips(6) = 8 --assume n % 32 = 0
__kernel void until(int n, __global float *y, __global int *steps)
{
    int i = get_global_id(0), count = 0;
    float v = y[i];
    while (v * v > 2.0f) {
        v = v * 0.5f + 1.0f / v;
        count++;
        if (v < 0.0f)
            break;
    }
    y[i] = v;
    steps[i] = count;
}
