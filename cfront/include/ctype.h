#ifndef SCOP_CTYPE_H
#define SCOP_CTYPE_H
int isalnum(int);
int isalpha(int);
int isdigit(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
#endif
