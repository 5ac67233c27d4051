// --local 8 --global n
// The subscript of an exchange is read once, though the exchange is a load and a store.
__kernel void exchange(int n, __global int *d, __global const int *idx)
{
	int i = get_global_id(0);
	atomic_xchg(&d[idx[i]], 1);
	atomic_xchg(d + idx[i] + 1, 1);
}
