// Local alignment of two sequences (Smith and Waterman): the best score of alignments that end at each pair of places, with linear costs of gaps.
void alignment(int m, int n, double reward[m][n], double gap, double H[m + 1][n + 1])
{
#pragma scop
  for (int i = 1; i <= m; i++)
    for (int j = 1; j <= n; j++)
      H[i][j] = fmax(0.0, fmax(H[i - 1][j - 1] + reward[i - 1][j - 1], fmax(H[i - 1][j], H[i][j - 1]) - gap));
#pragma endscop
}
