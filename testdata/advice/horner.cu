// A polynomial of degree 255, one value of it by each work-item, by few work-items.
__constant__ float coefficient[256] = {1.0f, 0.5f, 0.25f};
__global__ void horner(const float *__restrict__ x, float *y, int n) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    float v = x[i], s = 0;
#pragma unroll 16
    for (int k = 0; k < 256; k++) s = s * v + coefficient[k];
    y[i] = s;
  }
}
