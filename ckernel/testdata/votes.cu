// --local 64 --groups 2
// Functions over a sub-group count under their names.
__global__ void votes(unsigned *y, const int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = __match_any_sync(0xffffffffu, x[i]) + __popc(__ballot_sync(0xffffffffu, x[i] > 0));
}
