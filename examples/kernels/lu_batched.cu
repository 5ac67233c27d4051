// LU decomposition without pivoting of count matrices of N*N elements, one per thread, in private arrays. Element (i, j) of matrix m is at
// a[(i*N + j)*count + m], so that neighbouring threads access neighbouring elements.
template <typename T, int N>
__global__ void lu_batched(T *a, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    T lu[N][N];
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            lu[i][j] = a[(i * N + j) * count + m];
#pragma unroll
    for (int k = 0; k < N; k++) {
        T inverse = T(1) / lu[k][k];
#pragma unroll
        for (int i = k + 1; i < N; i++) {
            lu[i][k] *= inverse;
#pragma unroll
            for (int j = k + 1; j < N; j++)
                lu[i][j] -= lu[i][k] * lu[k][j];
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int j = 0; j < N; j++)
            a[(i * N + j) * count + m] = lu[i][j];
}
