// Sums over all rectangles from the corner of an image: prefix sums along the rows, then along the columns.
void prefix(int m, int n, double image[m][n], double sums[m][n])
{
#pragma scop
  for (int i = 0; i < m; i++) {
    sums[i][0] = image[i][0];
    for (int j = 1; j < n; j++)
      sums[i][j] = sums[i][j - 1] + image[i][j];
  }
  for (int i = 1; i < m; i++)
    for (int j = 0; j < n; j++)
      sums[i][j] += sums[i - 1][j];
#pragma endscop
}
