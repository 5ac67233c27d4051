// A pixel of a byte for a work-item; afterwards sixteen at a time.
__kernel void before(__global const uchar *in, __global uchar *out, int n) {
  int i = get_global_id(0);
  out[i] = 255 - in[i]; // defect: in or out
}
__kernel void after(__global const uchar16 *in, __global uchar16 *out, int n) {
  int i = get_global_id(0);
  out[i] = (uchar16)(255) - in[i];
}
