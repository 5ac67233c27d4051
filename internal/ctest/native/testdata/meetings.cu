// --local 32 --global n
__device__ void rounds(int times)
{
	for (int t = 0; t < times; t++)
		__syncthreads();
}

__global__ void meetings(float *y, const float *x, int n, int m)
{
	__shared__ float kept[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int t = 0; t < m; t++)
		if (t % 3 == 1)
			__syncthreads();
	if (m > 10) {
		__syncthreads();
	} else {
		kept[threadIdx.x] = 0.0f;
		__syncthreads();
		__syncthreads();
	}
	switch (m) {
	case 8:
		__syncthreads();
		break;
	case 16:
		__syncthreads();
		__syncthreads();
		__syncthreads();
		break;
	default:
		__syncthreads();
	}
	for (int s = 16; s > 0; s >>= 1) {
		if (s == m)
			break;
		__syncthreads();
	}
	rounds(2);
	for (int k = 0, b = threadIdx.x; k < 2; k++, b += 2) { // its bounds hold for none of its statements alone
		for (unsigned int t = 0; t < m + 1; t++) {
			auto &to = y[threadIdx.x < n ? k : i];
			to += (unsigned char) (threadIdx.x * 11) < 37 ? x[i] : x[k];
		}
		y[i] = b;
	}
	if (i < n)
		y[i] = x[i];
}
