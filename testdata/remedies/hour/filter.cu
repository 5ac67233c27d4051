// A recursive filter along the rows of an image: a thread for each row (before), of the image (after) of its transpose.
__global__ void before(const float *in, float *out, int rows, int columns, float a, float b) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float y1 = 0.f, y2 = 0.f;
  for (int c = 0; c < columns; c++) {
    float y = in[r * columns + c] + a * y1 + b * y2;
    out[r * columns + c] = y;
    y2 = y1;
    y1 = y;
  }
}
__global__ void after(const float *in, float *out, int rows, int columns, float a, float b) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float y1 = 0.f, y2 = 0.f;
  for (int c = 0; c < columns; c++) {
    float y = in[c * rows + r] + a * y1 + b * y2;
    out[c * rows + r] = y;
    y2 = y1;
    y1 = y;
  }
}
