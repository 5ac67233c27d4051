// A kernel whose parameters take more than 4 KB.
struct Table {
  int entry[2000];
};

__global__ void pick(Table table, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table.entry[i % 2000];
}
