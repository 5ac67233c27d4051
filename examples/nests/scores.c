// Distances of many points to a few centres, and for each point the nearest of them and how far it is.
void scores(int n, int k, int d, double point[n][d], double centre[k][d], double distance[n][k], double nearest[n])
{
#pragma scop
  for (int i = 0; i < n; i++) {
    nearest[i] = 1e30;
    for (int c = 0; c < k; c++) {
      distance[i][c] = 0.0;
      for (int x = 0; x < d; x++)
        distance[i][c] += (point[i][x] - centre[c][x]) * (point[i][x] - centre[c][x]);
      nearest[i] = fmin(nearest[i], distance[i][c]);
    }
  }
#pragma endscop
}
