// --local 64 --global n --assume n>0
// Conditions that are vectors, and choices and connectives of them for each lane.
__kernel void carries(__global uint4 *y, __global const uint4 *x, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint4 a = x[i], b = x[i + n];
  uint4 sum = a + b;
  int4 carry = sum < a;
  carry = (sum < b) || (carry && (sum == b));
  uint4 c = carry ? a : b;
  y[i] = c - sum;
}
