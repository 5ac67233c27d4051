// --local 128 --groups 512 --assume trips(9) = 4
// Behind a loop whose iterations only a run tells, their number is in conditions and in subscripts.
__global__ void search(int *y, const int *bound, const int *value) {
  int code = blockIdx.x * 128 + threadIdx.x;
  int n = 1;
  int v = 0;

  // one bit more, as long as these are too few
  while (code > bound[n])
    n++;
  if (n > 16)
    n = 0;
  else
    v = value[n];
  y[code] = v + n;
}
