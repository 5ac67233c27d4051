// Mean and variance of each row, by which its elements are then normalized.
void moments(int m, int n, double x[m][n], double y[m][n], double mean[m], double variance[m])
{
#pragma scop
  for (int i = 0; i < m; i++) {
    mean[i] = 0.0;
    for (int j = 0; j < n; j++)
      mean[i] += x[i][j];
    mean[i] /= n;
    variance[i] = 0.0;
    for (int j = 0; j < n; j++)
      variance[i] += (x[i][j] - mean[i]) * (x[i][j] - mean[i]);
    variance[i] /= n;
    for (int j = 0; j < n; j++)
      y[i][j] = (x[i][j] - mean[i]) / sqrt(variance[i] + 0.00001);
  }
#pragma endscop
}
