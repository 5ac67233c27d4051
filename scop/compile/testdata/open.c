/* Arrays whose outermost extents are not declared. */
void half(int n, int m, float *restrict a, const float *restrict b, double c[][5])
{
  for (int i = 0; i < n; i++) {
    if (i < m)
      a[2 * i] = b[i] / 2;
    for (int j = i; j < 5; j++)
      c[i][j] += j;
  }
}
