// A lower triangular system with many right sides, solved in place.
void solves(int n, int m, double L[n][n], double X[n][m])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      for (int k = 0; k < i; k++)
        X[i][j] -= L[i][k] * X[k][j];
      X[i][j] /= L[i][i];
    }
#pragma endscop
}
