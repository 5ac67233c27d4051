#ifndef SCOP_COMPLEX_H
#define SCOP_COMPLEX_H
#define complex _Complex
#define I 1.0i
double creal(double complex);
double cimag(double complex);
double cabs(double complex);
double complex conj(double complex);
double complex cexp(double complex);
#endif
