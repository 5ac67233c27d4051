// --local 32,4 --global w,h
// Indices are clamped at the borders: rows stay rows, and extents show.
__kernel void blur(__global const float *src, __global float *dst, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float sum = 0.0f;
  for (int r = -2; r <= 2; r++) sum += src[y * w + clamp(x + r, 0, w - 1)] + src[clamp(y + r, 0, h - 1) * w + x];
  dst[y * w + x] = sum;
}
