// Features of 16 neighbours are added up, by a work-item for each vertex; afterwards by a work-item for each vertex and feature.
__global__ void before(const int *edges, const float *h, float *out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  for (int f = 0; f < 32; f++) {
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
      sum += h[min(v + edges[k * n + v], n - 1) * 32 + f]; // defect: h
    out[v * 32 + f] = sum;
  }
}

__global__ void after(const int *edges, const float *h, float *out, int n) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, f = threadIdx.x % 32;
  float sum = 0.0f;
  for (int k = 0; k < 16; k++)
    sum += h[min(v + edges[k * n + v], n - 1) * 32 + f];
  out[v * 32 + f] = sum;
}
