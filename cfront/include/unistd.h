#ifndef SCOP_UNISTD_H
#define SCOP_UNISTD_H
#include <sys/types.h>
unsigned int sleep(unsigned int);
pid_t getpid(void);
long sysconf(int);
int getopt(int, char *const *, const char *);
#endif
