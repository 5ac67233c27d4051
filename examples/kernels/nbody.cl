// Accelerations of n bodies by gravity, n a multiple of the work-group: positions and masses are float4, and tiles of them are shared.
__kernel void nbody(__global const float4 *bodies, __global float4 *acc, int n, float eps, __local float4 *tile)
{
    int lid = get_local_id(0);
    int size = get_local_size(0);
    float4 me = bodies[get_global_id(0)];
    float4 a = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    for (int t = 0; t < n / size; t++) {
        tile[lid] = bodies[t * size + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; j++) {
            float4 d = tile[j] - me;
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z + eps;
            float inv = rsqrt(r2);
            float s = tile[j].w * inv * inv * inv;
            a += d * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a.w = 0.0f;
    acc[get_global_id(0)] = a;
}
