// Products of a query with keys of 128 numbers, a key for each work-item; afterwards keys are kept with their numbers one array after the other.
__kernel void before(__global const float *keys, __constant float *query, __global float *score, int n) {
  int t = get_global_id(0);
  float sum = 0.0f;
  for (int d = 0; d < 128; d++)
    sum += query[d] * keys[t * 128 + d]; // defect: keys
  score[t] = exp(sum * 0.088f);
}

__kernel void after(__global const float *keys, __constant float *query, __global float *score, int n) {
  int t = get_global_id(0);
  float sum = 0.0f;
  for (int d = 0; d < 128; d++)
    sum += query[d] * keys[d * n + t];
  score[t] = exp(sum * 0.088f);
}
