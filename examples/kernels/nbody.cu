// Accelerations of n bodies by gravity, n a multiple of 128: positions and masses are float4, and tiles of them are shared.
#define P 128

__device__ inline float inverse_cube(float r2)
{
    float inv = rsqrtf(r2);
    return inv * inv * inv;
}

__global__ void nbody(const float4 *__restrict__ bodies, float4 *__restrict__ acc, int n, float eps)
{
    __shared__ float4 tile[P];
    int i = blockIdx.x * P + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int t = 0; t < n; t += P) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < P; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float s = other.w * inverse_cube(dx * dx + dy * dy + dz * dz + eps);
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    acc[i] = make_float4(ax, ay, az, 0.0f);
}
