// steps[y*w + x] = how many iterations of z*z + c stay within 2, at most limit, for points c of a rectangle.
__kernel void mandelbrot(__global int *steps, int w, int h, float x0, float y0, float dx, float dy, int limit)
{
    int px = get_global_id(0);
    int py = get_global_id(1);
    if (px >= w || py >= h)
        return;
    float cx = x0 + px * dx;
    float cy = y0 + py * dy;
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        i++;
    }
    steps[py * w + px] = i;
}
