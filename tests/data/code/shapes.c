#ifndef SHAPES_H
#define SHAPES_H
#include <stdio.h>
#include "point.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LIMIT 3 /* most */ + 1
#define SQUARE(x) \
  ((x) * (x))

/* A shape. */
typedef struct shape {
  int sides, width;       /* in pixels */
  const char *name;
  int (*area)(const struct shape *);
  union { int radius; float ratio; };
  unsigned flags : 3;
} shape_t;

typedef struct { double x, y; } point;
typedef enum { RED, GREEN = 2 } color;
typedef int (*compare)(const void *, const void *);
struct list { struct list *next; };
enum { FIRST, SECOND };

static int counter = 0, *cursor, table[LIMIT];
extern const char *const names[];
static struct { int open; } state;
struct shape *current;
int (*handler)(int);

int area(const shape_t *shape,
         int scale);

// The biggest one.
// Or NULL.
const shape_t *biggest(const shape_t *shapes, int count) {
  int local = count;
  return &shapes[local];
}

#if defined(FAST)
static inline int twice(int x) { return x << 1; }
#else
static inline int twice(int x) { return x * 2; }
#endif

EXPORT_SYMBOL(biggest);
int after_macro(void) { return 1; }
int broken( { 
int after_error(void) { return 2; }

#ifdef __cplusplus
}
#endif
#endif
