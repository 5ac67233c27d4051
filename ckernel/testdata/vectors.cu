// --local 32 --global n // 4 --assume n % 128 = 0
__global__ void vectors(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = reinterpret_cast<const float4 *>(a)[i];
    v.x += v.w;
    *(float4 *)&b[4 * i] = make_float4(v.x, v.y, 0.0f, 1.0f);
}
