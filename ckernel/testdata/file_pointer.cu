// --local 64 --global n --assume n%64=0
// Pointers of the file, which the host sets, are loaded where they are used, as others in memory are.
__constant__ float *where;
__device__ const float4 *table;
__device__ other::half abs(const other::half &x);
__device__ float at(int i) { return table[i].y; }
__global__ void k(const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  where[i] = abs(x[i]) + at(i);
}
