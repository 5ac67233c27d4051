// C = alpha*A*B + beta*C, where A is M*K, B is K*N and C is M*N, multiples of the tiles. A block computes BM*BN elements of C, a thread
// TM*TN of them in registers; A and B are advanced tile by tile.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm_blocked(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];
    const int threads = (BM * BN) / (TM * TN);
    const int threadCol = threadIdx.x % (BN / TN);
    const int threadRow = threadIdx.x / (BN / TN);

    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    const int innerRowA = threadIdx.x / BK;
    const int innerColA = threadIdx.x % BK;
    const int strideA = threads / BK;
    const int innerRowB = threadIdx.x / BN;
    const int innerColB = threadIdx.x % BN;
    const int strideB = threads / BN;

    float results[TM * TN] = {0.0f};
    float regM[TM];
    float regN[TN];

    for (int block = 0; block < K; block += BK) {
        for (int offset = 0; offset < BM; offset += strideA)
            As[(innerRowA + offset) * BK + innerColA] = A[(innerRowA + offset) * K + innerColA];
        for (int offset = 0; offset < BK; offset += strideB)
            Bs[(innerRowB + offset) * BN + innerColB] = B[(innerRowB + offset) * N + innerColB];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int k = 0; k < BK; ++k) {
            for (int i = 0; i < TM; ++i)
                regM[i] = As[(threadRow * TM + i) * BK + k];
            for (int j = 0; j < TN; ++j)
                regN[j] = Bs[k * BN + threadCol * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    results[i * TN + j] += regM[i] * regN[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            const int at = (threadRow * TM + i) * N + threadCol * TN + j;
            C[at] = alpha * results[i * TN + j] + beta * C[at];
        }
}
