#ifndef SCOP_ERRNO_H
#define SCOP_ERRNO_H
extern int errno;
#endif
