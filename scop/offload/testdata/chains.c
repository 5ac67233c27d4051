// Loops that carry values forward, as they were timed on an H200 (testdata/h200/scop_chains.jsonl.gz).

void argmin(int n, float x[n], float best[1], int at[1])
{
#pragma scop
  best[0] = x[0];
  at[0] = 0;
  for (int i = 1; i < n; i++)
    if (x[i] < best[0]) {
      best[0] = x[i];
      at[0] = i;
    }
#pragma endscop
}

void filter(int n, float x[n], float y[n])
{
#pragma scop
  y[0] = x[0];
  for (int i = 1; i < n; i++)
    y[i] = 0.9f * y[i-1] + 0.1f * x[i];
#pragma endscop
}

void norm(int n, int m, float A[n][m], float x[m], float s[1])
{
#pragma scop
  s[0] = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s[0] += A[i][j] * A[i][j] * x[j];
#pragma endscop
}

void runmax(int n, float x[n], float y[n])
{
#pragma scop
  y[0] = x[0];
  for (int i = 1; i < n; i++)
    y[i] = x[i] > y[i-1] ? x[i] : y[i-1];
#pragma endscop
}

void scan(int n, float x[n], float y[n])
{
#pragma scop
  y[0] = x[0];
  for (int i = 1; i < n; i++)
    y[i] = y[i-1] + x[i];
#pragma endscop
}

void total(int n, float x[n], float y[1])
{
#pragma scop
  y[0] = 0;
  for (int i = 0; i < n; i++)
    y[0] += x[i];
#pragma endscop
}
