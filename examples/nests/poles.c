// Many signals through a filter with two poles: a recurrence of second order along each.
void poles(int signals, int n, double x[n][signals], double y[n][signals], double a, double b, double c)
{
#pragma scop
  for (int s = 0; s < signals; s++) {
    y[0][s] = a * x[0][s];
    y[1][s] = a * x[1][s] + b * y[0][s];
    for (int i = 2; i < n; i++)
      y[i][s] = a * x[i][s] + b * y[i - 1][s] + c * y[i - 2][s];
  }
#pragma endscop
}
