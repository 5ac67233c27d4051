// c = a + b, four elements per thread, for n that is a multiple of 4.
__global__ void add4(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 x = reinterpret_cast<const float4 *>(a)[i];
        float4 y = reinterpret_cast<const float4 *>(b)[i];
        float4 z;
        z.x = x.x + y.x;
        z.y = x.y + y.y;
        z.z = x.z + y.z;
        z.w = x.w + y.w;
        reinterpret_cast<float4 *>(c)[i] = z;
    }
}
