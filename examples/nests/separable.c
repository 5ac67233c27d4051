// A separable filter of nine taps: along the rows, then along the columns.
void separable(int m, int n, double image[m][n + 8], double tap[9], double rows[m][n], double out[m - 8][n])
{
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      rows[i][j] = 0.0;
      for (int k = 0; k < 9; k++)
        rows[i][j] += tap[k] * image[i][j + k];
    }
  for (int i = 0; i < m - 8; i++)
    for (int j = 0; j < n; j++) {
      out[i][j] = 0.0;
      for (int k = 0; k < 9; k++)
        out[i][j] += tap[k] * rows[i + k][j];
    }
#pragma endscop
}
