// One step of a bitonic sort: elements at distance j are put in the order that their part of length k has.
__global__ void bitonic_step(float *values, int j, int k)
{
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    unsigned int other = i ^ j;
    if (other > i) {
        float a = values[i];
        float b = values[other];
        bool ascending = (i & k) == 0;
        if (ascending ? a > b : a < b) {
            values[i] = b;
            values[other] = a;
        }
    }
}
