void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])
{
  for (int i = 0; i < n; i++)
    for (int j = n - 1; j > i; j--)
      A[j + 40][j + 40] *= A[i + 40][i + 40];
}
