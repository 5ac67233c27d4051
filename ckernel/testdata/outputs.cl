// --local 64 --global n
kernel void outputs(global float *y, global const float4 *x, global const uint *u, int n)
{
  int i = get_global_id(0);
  float4 c, s = sincos(x[i], &c);
  float whole;
  int digits;
  y[i] = modf(s.x, &whole) + frexp(c.y, &digits) + digits * whole;
  y[i + n] = fract(s.z, &y[i + 2 * n]) + bitselect(u[i], u[i + n], u[i + 2 * n]);
}
