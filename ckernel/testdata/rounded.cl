// --local 64 --groups g
// Conversions to integers round, and keep within the type, as the ends of their names say, in one instruction.
__kernel void rounded(__global const float *x, __global uchar *y, __global int *z) {
  int i = get_global_id(0);
  y[i] = convert_uchar_sat_rte(x[i]);
  z[i] = convert_int_rtp(x[i]) + convert_int(x[i]) + convert_char_sat(i);
}
