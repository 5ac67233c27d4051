/* Macros as those of a suite of benchmarks: sets of sizes, types of elements, and arrays that are declared with sizes or with parameters. */
#include <stdlib.h>

#ifdef SMALL_SET
#define NI 13
#define NJ 17
#define STEPS 3
#else
#define NI 130
#define NJ 170
#define STEPS 30
#endif

#ifdef FLOATS
#define NUMBER float
#define LITERAL(x) x##f
#else
#define NUMBER double
#define LITERAL(x) x
#endif

#ifdef PARAMETERS
#define EXTENT(size, parameter) parameter
#define BOUND(size, parameter) parameter
#else
#define EXTENT(size, parameter) size
#define BOUND(size, parameter) parameter
#endif
#define ARRAY_2D(name, d1, d2, p1, p2) name[EXTENT(d1, p1)][EXTENT(d2, p2)]
#define ALLOCATED_2D(name, d1, d2) NUMBER(*name)[d1][d2] = (NUMBER(*)[d1][d2]) malloc(sizeof(NUMBER) * (d1) * (d2))
#define CONTENT(name) (*name)
#define LOOP(i, low, size, parameter) for (i = low; i < BOUND(size, parameter); i++)
