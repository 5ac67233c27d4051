// C = alpha·A·B + beta·C, A symmetric and stored as its lower triangle.
void symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m], double B[m][n])
{
  double temp;
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      temp = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        temp += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp;
    }
#pragma endscop
}
