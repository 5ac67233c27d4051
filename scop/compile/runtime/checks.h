// The kernels are made for certain types and extents, which other macros at the command line of the compiler could change.
#define SCOP_TYPE(x, type) _Static_assert(_Generic(x, type: 1, default: 0), #x " is compiled as " #type)
#define SCOP_SIZE(x, type) _Static_assert(sizeof x == sizeof(type), #x " is compiled as " #type)

