// A layer of convolutions: several channels in, several out, with windows of 3×3.
void convolution(int out, int in, int h, int w, double image[in][h + 2][w + 2], double weight[out][in][3][3], double result[out][h][w])
{
#pragma scop
  for (int o = 0; o < out; o++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        result[o][y][x] = 0.0;
        for (int c = 0; c < in; c++)
          for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
              result[o][y][x] += image[c][y + dy][x + dx] * weight[o][c][dy][dx];
      }
#pragma endscop
}
