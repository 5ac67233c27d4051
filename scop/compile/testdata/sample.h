#ifndef ROWS
#define ROWS 6
#endif
#define COLUMNS 5
#ifndef TYPE
#define TYPE double
#endif
#define WEIGHT(w) (FACTOR * (w))
