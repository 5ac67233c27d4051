// Turns points by quaternions that lie with a position in records of 7 numbers; afterwards each number has an array.
struct Pose { float x, y, z, a, b, c, d; };
__global__ void before(const Pose *pose, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pose p = pose[i]; // defect: pose
  out[i] = p.x + p.a * (p.b * p.y - p.c * p.z) + p.d * p.d;
}

__global__ void after(const float *pose, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = pose[i], y = pose[n + i], z = pose[2 * n + i], a = pose[3 * n + i], b = pose[4 * n + i], c = pose[5 * n + i], d = pose[6 * n + i];
  out[i] = x + a * (b * y - c * z) + d * d;
}
