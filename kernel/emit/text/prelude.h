#include <math.h>
#include <tgmath.h>
#undef I
#undef complex
#undef imaginary
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
_Static_assert(sizeof(long) == 8, "long has 64 bits");
#define min(a, b) ((b) < (a) ? (b) : (a))
#define max(a, b) ((b) > (a) ? (b) : (a))
#define abs(a) ((a) < 0 ? -(a) : (a))
#define mad(a, b, c) fma(a, b, c)
#define rsqrt(a) (1 / sqrt(a))
#define exp10(a) pow(0 * (a) + 10, a)
