// Products of many small matrices.
void batched(int b, int n, double A[b][n][n], double B[b][n][n], double C[b][n][n])
{
#pragma scop
  for (int p = 0; p < b; p++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        C[p][i][j] = 0.0;
        for (int k = 0; k < n; k++)
          C[p][i][j] += A[p][i][k] * B[p][k][j];
      }
#pragma endscop
}
