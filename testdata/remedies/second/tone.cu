// Tones by a table in constant memory, at places that data tell; afterwards from shared memory.
__constant__ float curve[256];
__global__ void before(const unsigned char *pixel, const float *table, float *out, int n) {
  float sum = 0.0f;
  for (int k = 0; k < 32; k++)
    sum += curve[pixel[k * n + blockIdx.x * blockDim.x + threadIdx.x] * 15]; // defect: curve
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void after(const unsigned char *pixel, const float *table, float *out, int n) {
  __shared__ float curve[256];
  curve[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < 32; k++)
    sum += curve[pixel[k * n + blockIdx.x * blockDim.x + threadIdx.x] * 15];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
