void f(int n, int m, double alpha, double A[120][120], double B[120][120], float C[120], int D[120])
{
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < m + 1; i++)
      D[i + 40] += D[j + 40];
}
