// Types of the elements of transforms, as cufft.h of CUDA 12 names them. Its functions are for the host.
#pragma once
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
