// How many values fall into each of some intervals of equal width; values below the first and above the last are in none.
void histogram(int n, int bins, double values[n], double lowest, double width, double count[bins])
{
#pragma scop
  for (int b = 0; b < bins; b++) {
    count[b] = 0.0;
    for (int i = 0; i < n; i++)
      count[b] += values[i] >= lowest + b * width ? values[i] < lowest + (b + 1) * width ? 1.0 : 0.0 : 0.0;
  }
#pragma endscop
}
