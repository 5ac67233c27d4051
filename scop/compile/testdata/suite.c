/* A program in the style of a suite of benchmarks. */
#include <stdio.h>
#include "suite.h"

static void initial(int ni, int nj, NUMBER ARRAY_2D(a, NI, NJ, ni, nj))
{
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++)
      a[i][j] = (NUMBER)(i * j % 7) / ni;
}

static void kernel(int ni, int nj, NUMBER alpha, NUMBER ARRAY_2D(a, NI, NJ, ni, nj), NUMBER ARRAY_2D(b, NI, NJ, ni, nj))
{
  int t, i, j;

#pragma scop
  LOOP (t, 0, STEPS, STEPS) {
    LOOP (i, 1, NI, ni)
      LOOP (j, 0, NJ - 1, nj - 1)
        b[i][j] = alpha * (a[i][j] + a[i - 1][j + 1]) + LITERAL(0.25);
    LOOP (i, 1, NI, ni)
      LOOP (j, 0, NJ - 1, nj - 1)
        a[i][j] -= LITERAL(0.5) * b[i][j];
  }
#pragma endscop
}

int main(int argc, char **argv)
{
  int ni = NI, nj = NJ;
  ALLOCATED_2D(a, NI, NJ);
  ALLOCATED_2D(b, NI, NJ);
  initial(ni, nj, CONTENT(a));
  initial(ni, nj, CONTENT(b));
  kernel(ni, nj, LITERAL(0.3), CONTENT(a), CONTENT(b));
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++)
      printf("%.17g %.17g\n", CONTENT(a)[i][j], CONTENT(b)[i][j]);
  free(a);
  free(b);
  return 0;
}
