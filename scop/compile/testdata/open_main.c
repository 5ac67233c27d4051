/* Arrays behind which there is no memory. */
#include <stdio.h>
#include <sys/mman.h>

void half(int n, int m, float *restrict a, const float *restrict b, double c[][5]);

int main(void) {
  char *pages = mmap(NULL, 6 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int k = 1; k < 6; k += 2) mprotect(pages + k * 4096, 4096, PROT_NONE);
  float *a = (float *)(pages + 4096) - 5, *b = (float *)(pages + 3 * 4096) - 3;
  double (*c)[5] = (double (*)[5])(pages + 5 * 4096 - 5 * 5 * 8);
  for (int i = 0; i < 5; i++) a[i] = i;
  for (int i = 0; i < 3; i++) b[i] = 10 + i;
  half(9, 3, a, b, c);
  half(0, 3, NULL, NULL, NULL);
  for (int i = 0; i < 5; i++) printf("%g\n", a[i]);
  for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) printf("%g\n", c[i][j]);
  return 0;
}
