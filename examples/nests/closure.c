// The widest paths between all pairs of nodes: a closure as Floyd's, by minima along paths and maxima over them.
void closure(int n, double width[n][n])
{
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        width[i][j] = fmax(width[i][j], fmin(width[i][k], width[k][j]));
#pragma endscop
}
