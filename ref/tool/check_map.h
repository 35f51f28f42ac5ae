/* The errors of one head by position, reduced to at most ATTEST_MAP_SIDE cells a side: a cell holds
   the largest of its elements. */
#ifndef ATTEST_CHECK_MAP_H
#define ATTEST_CHECK_MAP_H

#include "cli.h"
#include "verdict.h"

enum { ATTEST_MAP_SIDE = 256 };

typedef struct attest_cell {
  float ulps;  /* of elements that do not fail */
  float ratio; /* of those that do, error over allowance; 0: none fails */
  unsigned char judged, vacuous; /* some element is judged, or cannot be; none: hidden keys */
} attest_cell;

/* Rows first .. first + rows - 1 of a head; first is a multiple of `down`. */
typedef struct attest_map {
  size_t first, rows, columns;
  size_t down, across; /* rows and columns in one cell */
  size_t high, wide;   /* cells */
  attest_cell *cells;  /* (high, wide); NULL: no map is wanted */
} attest_map;

/* Rows in one cell of a map of so many rows. */
size_t attest_map_step(size_t rows);

/* The map of rows first .. first + rows - 1 of a head of so many. */
int attest_map_start(attest_map *map, size_t first, size_t rows, size_t head_rows, size_t columns,
                     attest_fault *fault);
void attest_map_end(attest_map *map);

/* hidden: nothing to see unless it fails. Nothing where the map has no cells. */
void attest_map_add(attest_map *map, size_t row, size_t column, const attest_judged *judged,
                    int hidden);

/* Makes the cells as if nothing had been added, for rows from another `first`. */
void attest_map_clear(attest_map *map, size_t first, size_t rows);

/* Copies the cells of a part into the map of the whole head. */
void attest_map_place(attest_map *map, const attest_map *part);

#endif
