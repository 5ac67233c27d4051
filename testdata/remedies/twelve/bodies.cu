// Forces between 4096 bodies, by 16 work-groups; afterwards by 32 times as many, each of which looks at a part of the others.
__global__ void before(const float *x, const float *m, float *force, int n, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float at = x[i], sum = 0.0f;
  for (int j = 0; j < n; j++) { // defect: force or x or m or sum
    float d = x[j] - at, r = d * d + 0.01f;
    sum += m[j] * d * rsqrtf(r * r * r);
  }
  force[i] = sum;
}

__global__ void after(const float *x, const float *m, float *force, int n, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int each = n / parts, first = blockIdx.y * each;
  float at = x[i], sum = 0.0f;
  for (int j = first; j < first + each; j++) {
    float d = x[j] - at, r = d * d + 0.01f;
    sum += m[j] * d * rsqrtf(r * r * r);
  }
  atomicAdd(&force[i], sum);
}
