// Many small matrices, each factored in place into lower and upper triangular ones, without pivots.
void factors(int b, int n, double A[b][n][n])
{
#pragma scop
  for (int p = 0; p < b; p++)
    for (int k = 0; k < n; k++) {
      for (int i = k + 1; i < n; i++)
        A[p][i][k] /= A[p][k][k];
      for (int i = k + 1; i < n; i++)
        for (int j = k + 1; j < n; j++)
          A[p][i][j] -= A[p][i][k] * A[p][k][j];
    }
#pragma endscop
}
