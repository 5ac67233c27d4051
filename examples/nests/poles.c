// Many signals through a filter with two poles: a recurrence of second order along each.
void poles(int signals, int n, double x[n][signals], double y[n + 2][signals], double a, double b, double c)
{
#pragma scop
  for (int s = 0; s < signals; s++)
    for (int i = 0; i < n; i++)
      y[i + 2][s] = a * x[i][s] + b * y[i + 1][s] + c * y[i][s];
#pragma endscop
}
