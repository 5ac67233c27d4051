// --local 64 --global n
// Textures that are members of structures, and a vector that is named as a structure.
typedef struct float2 float2;
typedef float2 pair;
struct info {
  cudaTextureObject_t in[4];
  int count[8];
};
struct view {
  float scale;
  cudaTextureObject_t of;
};
__global__ void handles(const info *g, float *y, pair *c, view v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = tex3D<float>(v.of, 0.5f, 1.5f, 2.5f) * v.scale + g->count[1];
  c[i].x = 1;
}
