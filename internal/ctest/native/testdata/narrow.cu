// --local 8 --global n
// A number of 8 bits wraps around, so that which side is taken is not known from the index.
__global__ void narrow(int n, float *y, const float *x, const float *q)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int l = threadIdx.x;
	y[i] = (char) (l * 34) < 69 ? q[i] : x[i];
}
