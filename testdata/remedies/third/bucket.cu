// The buckets of 16 keys of each work-item, by remainders of 64 bits; afterwards of 32, which these keys fit.
__global__ void before(const unsigned int *key, unsigned int *out, unsigned long long buckets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int sum = 0;
  for (int k = 0; k < 16; k++) {
    unsigned long long v = key[k * n + i];
    sum += (unsigned int)(v % buckets); // defect: -
  }
  out[i] = sum;
}

__global__ void after(const unsigned int *key, unsigned int *out, unsigned long long buckets, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int sum = 0;
  for (int k = 0; k < 16; k++) sum += key[k * n + i] % (unsigned int)buckets;
  out[i] = sum;
}
