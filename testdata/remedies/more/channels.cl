// The channels of a pixel stand together, and a work-item adds up those of its pixel; afterwards there is a plane for each channel.
__kernel void before(__global const float *image, __global float *sums, int pixels, int channels) {
  int p = get_global_id(0);
  float sum = 0;
  for (int c = 0; c < channels; c++)
    sum += image[p * channels + c]; // defect: image
  sums[p] = sum;
}
__kernel void after(__global const float *image, __global float *sums, int pixels, int channels) {
  int p = get_global_id(0);
  float sum = 0;
  for (int c = 0; c < channels; c++)
    sum += image[c * pixels + p];
  sums[p] = sum;
}
