// From a fine grid to a coarse one and back: the full weighting of a residual, and what the coarse grid corrects.
void restriction(int n, double fine[2 * n + 1][2 * n + 1], double coarse[n][n], double corrected[2 * n + 1][2 * n + 1])
{
#pragma scop
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      coarse[i][j] = 0.25 * fine[2 * i][2 * j] + 0.125 * (fine[2 * i - 1][2 * j] + fine[2 * i + 1][2 * j] + fine[2 * i][2 * j - 1] + fine[2 * i][2 * j + 1])
                   + 0.0625 * (fine[2 * i - 1][2 * j - 1] + fine[2 * i - 1][2 * j + 1] + fine[2 * i + 1][2 * j - 1] + fine[2 * i + 1][2 * j + 1]);
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      corrected[2 * i][2 * j] = fine[2 * i][2 * j] + coarse[i][j];
      corrected[2 * i + 1][2 * j] = fine[2 * i + 1][2 * j] + 0.5 * (coarse[i][j] + coarse[i + 1][j]);
      corrected[2 * i][2 * j + 1] = fine[2 * i][2 * j + 1] + 0.5 * (coarse[i][j] + coarse[i][j + 1]);
      corrected[2 * i + 1][2 * j + 1] = fine[2 * i + 1][2 * j + 1] + 0.25 * (coarse[i][j] + coarse[i + 1][j] + coarse[i][j + 1] + coarse[i + 1][j + 1]);
    }
#pragma endscop
}
