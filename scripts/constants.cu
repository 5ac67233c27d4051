// How long a multiprocessor takes for constants at random places, of which the work-items of a sub-group ask for some different ones at once. Made
// testdata/h200/measurement/scattered_constants.csv.gz: the bytes of the table, the different addresses, the work-items, and the microseconds of the
// fastest of six launches, in which each work-item loads 32 constants.
//
//     nvcc -O3 -arch=sm_90 -o constants constants.cu && ./constants
#include <cstdio>

__constant__ float table[16384];

template <int WORDS, int ADDRESSES>
__global__ void sum(float *out, int loads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = (unsigned)(i / 32 * ADDRESSES + i % 32 % ADDRESSES) * 2654435761u;
  float s = 0;
  for (int k = 0; k < loads; k++) {
    at = at * 1664525u + 1013904223u;
    s += table[(at >> 8) % WORDS];
  }
  out[i] = s;
}

template <int WORDS, int ADDRESSES>
void measure(float *out, int n) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float best = 1e9, ms;
  for (int trial = 0; trial < 6; trial++) {
    cudaEventRecord(start);
    sum<WORDS, ADDRESSES><<<n / 256, 256>>>(out, 32);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
    if (ms < best) best = ms;
  }
  printf("%d,%d,%d,%.2f\n", WORDS * 4, ADDRESSES, n, best * 1000);
}

template <int WORDS>
void all(float *out) {
  int n = 1 << 20;
  measure<WORDS, 32>(out, n);
  measure<WORDS, 16>(out, n);
  measure<WORDS, 8>(out, n);
  measure<WORDS, 2>(out, n);
  measure<WORDS, 1>(out, n);
}

int main() {
  float *out;
  cudaMalloc(&out, 4 << 20);
  printf("bytes,addresses,work_items,microseconds\n");
  all<64>(out);
  all<256>(out);
  all<512>(out);
  all<1024>(out);
  all<2048>(out);
  all<4096>(out);
  all<8192>(out);
  all<12288>(out);
  all<16384>(out);
}
