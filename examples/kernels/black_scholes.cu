// Prices of European call options by the formula of Black and Scholes.
__device__ float normal_cdf(float d)
{
    return 0.5f * erfcf(-0.70710678f * d);
}

__global__ void black_scholes(float *__restrict__ call, const float *__restrict__ price, const float *__restrict__ strike,
                              const float *__restrict__ years, float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = price[i], x = strike[i], t = years[i];
        float root = volatility * sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / root;
        float d2 = d1 - root;
        call[i] = s * normal_cdf(d1) - x * expf(-rate * t) * normal_cdf(d2);
    }
}
