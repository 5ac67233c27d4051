// --local 32 --global n --instance private_arrays<float, 4>
template <typename T, int N>
__global__ void private_arrays(T *a, int n)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n)
        return;
    T v[N][N], sums[N] = {0};
    const T w[2] = {0.25f, 0.5f};
#pragma unroll
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            v[i][j] = a[(i * N + j) * n + m];
            sums[j] += v[i][j] * w[j % 2];
        }
    a[m] = sums[N - 1];
}
