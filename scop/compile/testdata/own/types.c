void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i + 40][40] += 2000000000 + D[j + 40];
}
