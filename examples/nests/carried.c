// A vector loop that carries two scalars forward: each element is smoothed with the two products before it.
void carried(int n, double a[n], double b[n], double c[n], double out[n])
{
  double before = 0.0, last = 0.0, now;
#pragma scop
  for (int i = 0; i < n; i++) {
    now = a[i] * b[i];
    out[i] = c[i] + 0.5 * last + 0.25 * before;
    before = last;
    last = now;
  }
#pragma endscop
}
