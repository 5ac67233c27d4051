/* A table with weights: macros, headers, arrays of all kinds, and a region that stays as it is. */
#include <stdio.h>
#include "sample.h"

#define EACH(i, n) for (i = 0; i < (n); i++)

static TYPE table[ROWS][COLUMNS];
int steps;

static TYPE weighted(TYPE value, unsigned char by) { return by ? WEIGHT(value) * by : -value; }

void fill(long n, TYPE (*restrict out)[COLUMNS], unsigned char mask[n])
{
  int i, j;
#pragma scop
  EACH(i, ROWS)
    EACH(j, COLUMNS)
      table[i][j] = 1 + i * 0.5 - j;
#pragma endscop

  EACH(i, 2) {
#pragma scop
    double first = WEIGHT(table[0][0]);
    for (int r = 0; r < n; r++)
      for (int c = COLUMNS - 1; c >= 0; c--)
        out[r][c] = weighted(table[r][c], mask[r]);
    steps = steps + 1;
#pragma endscop
    printf("%g\n", first);
  }

#pragma scop
  for (int r = 0; r < n; r++)
    for (int c = 0; c < mask[r]; c++)
      table[r][c] = out[r][c];
#pragma endscop
}

static void half(int n, float a[]) { for (int i = 0; i < n; i++) a[2 * i] = a[2 * i] / 2; }

int main(void)
{
  TYPE out[ROWS][COLUMNS] = {{0}};
  unsigned char mask[ROWS] = {1, 0, 2, 1, 0, 3};
  float a[7] = {1, 2, 3, 4, 5, 6, 7};
  fill(ROWS, out, mask);
  half(4, a);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++)
      printf("%g %g\n", out[r][c], table[r][c]);
  for (int i = 0; i < 7; i++)
    printf("%g\n", a[i]);
  printf("%d steps\n", steps);
  return 0;
}
