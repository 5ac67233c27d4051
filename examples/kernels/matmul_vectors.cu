// C = A*B for square matrices of n*n elements, n a multiple of 32: tiles are loaded as float4, the one of A is transposed in shared
// memory, and each of 64 threads computes 4*4 elements.
#define BS 32
#define BK 8

__global__ void __launch_bounds__(64) matmul_vectors(int n, const float *A, const float *B, float *C)
{
    __shared__ float As[BK][BS];
    __shared__ float Bs[BK][BS];
    const int tid = threadIdx.x;
    const int tx = tid % 8, ty = tid / 8;
    const int rowA = tid / (BK / 4), colA = tid % (BK / 4) * 4;
    const int rowB = tid / (BS / 4), colB = tid % (BS / 4) * 4;
    float acc[4][4] = {};

    A += blockIdx.y * BS * n;
    B += blockIdx.x * BS;
    for (int k0 = 0; k0 < n; k0 += BK) {
        float4 a = *(const float4 *)&A[rowA * n + k0 + colA];
        As[colA + 0][rowA] = a.x;
        As[colA + 1][rowA] = a.y;
        As[colA + 2][rowA] = a.z;
        As[colA + 3][rowA] = a.w;
        *(float4 *)&Bs[rowB][colB] = *(const float4 *)&B[(k0 + rowB) * n + colB];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float4 x = *(float4 *)&As[k][4 * ty];
            float4 y = *(float4 *)&Bs[k][4 * tx];
            acc[0][0] += x.x * y.x; acc[0][1] += x.x * y.y; acc[0][2] += x.x * y.z; acc[0][3] += x.x * y.w;
            acc[1][0] += x.y * y.x; acc[1][1] += x.y * y.y; acc[1][2] += x.y * y.z; acc[1][3] += x.y * y.w;
            acc[2][0] += x.z * y.x; acc[2][1] += x.z * y.y; acc[2][2] += x.z * y.z; acc[2][3] += x.z * y.w;
            acc[3][0] += x.w * y.x; acc[3][1] += x.w * y.y; acc[3][2] += x.w * y.z; acc[3][3] += x.w * y.w;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float4 c = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *(float4 *)&C[(blockIdx.y * BS + 4 * ty + i) * n + blockIdx.x * BS + 4 * tx] = c;
    }
}
