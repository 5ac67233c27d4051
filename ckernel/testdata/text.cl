// --local 32 --global n
// Strings are arrays of constant memory: a function gets one, and one is looked up by data.
void note(__constant char *what, int i, __global int *y) {
  if (y[i] > 2) printf("%s: %d", what, y[i]);
}
__kernel void text(__global int *y, int n) {
  int i = get_global_id(0);
  __constant char *digits = "0123456789";
  if (i < n) {
    note("large", i, y);
    y[i] = digits[y[i] % 10] + "ab"[i & 1];
  }
}
