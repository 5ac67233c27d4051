// The folding of RNA with most pairs of bases: table[i][j] is the number of pairs of the bases i to j.
typedef char base;
#define pairs(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define greater(a, b) (((a) >= (b)) ? (a) : (b))
void nussinov(int n, base seq[n], int table[n][n])
{
#pragma scop
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = greater(table[i][j], table[i][j - 1]);
      if (i + 1 < n)
        table[i][j] = greater(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < n) {
        if (i < j - 1)
          table[i][j] = greater(table[i][j], table[i + 1][j - 1] + pairs(seq[i], seq[j]));
        else
          table[i][j] = greater(table[i][j], table[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = greater(table[i][j], table[i][k] + table[k + 1][j]);
    }
  }
#pragma endscop
}
