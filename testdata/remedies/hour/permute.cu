// Images from channels last to channels first.
__global__ void before(const float *in, float *out, int pixels, int channels) {
  int c = threadIdx.x;
  int p = blockIdx.x * blockDim.y + threadIdx.y;
  int image = blockIdx.y;
  out[(image * channels + c) * pixels + p] = in[(image * pixels + p) * channels + c];
}
__global__ void after(const float *in, float *out, int pixels, int channels) {
  __shared__ float tile[32][33];
  int image = blockIdx.z, p0 = blockIdx.x * 32, c0 = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    tile[k][threadIdx.x] = in[(image * pixels + p0 + k) * channels + c0 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8)
    out[(image * channels + c0 + k) * pixels + p0 + threadIdx.x] = tile[threadIdx.x][k];
}
