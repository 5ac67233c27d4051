#include <cuda/pipeline>
