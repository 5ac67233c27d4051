// Step k of the shortest paths between all pairs of n nodes.
__kernel void floyd_warshall(__global int *dist, const int n, const int k)
{
    const int j = get_global_id(0);
    const int i = get_global_id(1);
    if (i < n && j < n) {
        int through = dist[i * n + k] + dist[k * n + j];
        if (through < dist[i * n + j])
            dist[i * n + j] = through;
    }
}
