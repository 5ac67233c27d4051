#ifndef SCOP_SCHED_H
#define SCOP_SCHED_H
#define SCHED_FIFO 1
struct sched_param { int sched_priority; };
int sched_setscheduler(int, int, const struct sched_param *);
int sched_get_priority_max(int);
#endif
