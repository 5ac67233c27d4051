#ifndef SCOP_STDARG_H
#define SCOP_STDARG_H
typedef __builtin_va_list va_list;
#define va_start(list, last) ((void)(list))
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_end(list) ((void)(list))
#endif
