// One step of an alternating-direction method: tridiagonal systems along all rows, then along all columns, by elimination and back substitution.
void lines(int n, double u[n][n], double v[n][n], double p[n][n], double a, double b)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    p[i][0] = a / b;
    v[i][0] = u[i][0] / b;
    for (int j = 1; j < n; j++) {
      p[i][j] = a / (b - a * p[i][j - 1]);
      v[i][j] = (u[i][j] + a * v[i][j - 1]) / (b - a * p[i][j - 1]);
    }
    for (int j = n - 2; j >= 0; j--)
      v[i][j] += p[i][j] * v[i][j + 1];
  }
  for (int j = 0; j < n; j++) {
    p[0][j] = a / b;
    u[0][j] = v[0][j] / b;
    for (int i = 1; i < n; i++) {
      p[i][j] = a / (b - a * p[i - 1][j]);
      u[i][j] = (v[i][j] + a * u[i - 1][j]) / (b - a * p[i - 1][j]);
    }
    for (int i = n - 2; i >= 0; i--)
      u[i][j] += p[i][j] * u[i + 1][j];
  }
#pragma endscop
}
