// The length of each thread's Collatz sequence; a branch that diverges inside nested loops.
extern "C" __global__ void collatz(int n, int rounds, const int *start, int *length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int total = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
    unsigned v = start[i] + r;
    while (v > 1) {
      if (v % 2)
        v = 3 * v + 1;
      else
        v = v / 2;
      total++;
      if (total > 100000) break;
    }
  }
  length[i] = total;
}

extern "C" __global__ void select_case(int n, const int *kind, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (kind[i]) {
  case 0: v = sqrtf(v); break;
  case 1: v = __sinf(v); break;
  case 2: v = __expf(v) * 2.0f; break;
  case 3: v = v * v * v; break;
  case 4: v = fminf(v, 3.0f); break;
  case 5: v = __logf(v); break;
  case 6: v = floorf(v); break;
  case 7: v = v + (float)i; break;
  }
  x[i] = v;
}
