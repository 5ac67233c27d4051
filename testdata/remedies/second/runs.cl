// Counts changes in a text: a work-item looks at 64 bytes side by side; afterwards neighbours look at neighbouring bytes.
__kernel void before(__global const uchar *text, __global int *changes, int items) {
  int i = get_global_id(0);
  int n = 0;
  for (int k = 0; k < 63; k++)
    n += text[i * 64 + k] != text[i * 64 + k + 1]; // defect: text
  changes[i] = n;
}

__kernel void after(__global const uchar *text, __global int *changes, int items) {
  int i = get_global_id(0);
  int n = 0;
  for (int k = 0; k < 63; k++)
    n += text[k * items + i] != text[k * items + i + 1];
  changes[i] = n;
}
