#include "check_map.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

size_t attest_map_step(size_t rows) {
  return rows <= ATTEST_MAP_SIDE ? 1 : (rows + ATTEST_MAP_SIDE - 1) / ATTEST_MAP_SIDE;
}

int attest_map_start(attest_map *map, size_t first, size_t rows, size_t head_rows, size_t columns,
                     attest_fault *fault) {
  memset(map, 0, sizeof *map);
  map->columns = columns;
  map->down = attest_map_step(head_rows);
  map->across = attest_map_step(columns);
  map->wide = (columns + map->across - 1) / map->across;
  map->high = (rows + map->down - 1) / map->down;
  map->cells = attest_allocate(map->high * map->wide, sizeof *map->cells, "--report", fault);
  if (map->cells == NULL)
    return -1;
  attest_map_clear(map, first, rows);
  return 0;
}

void attest_map_end(attest_map *map) {
  free(map->cells);
  map->cells = NULL;
}

void attest_map_clear(attest_map *map, size_t first, size_t rows) {
  map->first = first;
  map->rows = rows;
  if (map->cells == NULL)
    return;
  map->high = (rows + map->down - 1) / map->down;
  memset(map->cells, 0, map->high * map->wide * sizeof *map->cells);
}

/* Infinities stay, larger numbers stop at FLT_MAX. */
static float narrow(double x) { return x < FLT_MAX || x > DBL_MAX ? (float)x : FLT_MAX; }

void attest_map_add(attest_map *map, size_t row, size_t column, const attest_judged *judged,
                    int hidden) {
  attest_cell *cell;

  if (map->cells == NULL || (hidden && !judged->fails))
    return;
  cell = &map->cells[(row - map->first) / map->down * map->wide + column / map->across];
  cell->judged = 1;
  if (judged->vacuous)
    cell->vacuous = 1;
  if (judged->fails && narrow(judged->ratio) > cell->ratio)
    cell->ratio = narrow(judged->ratio);
  if (!judged->fails && narrow(judged->ulps) > cell->ulps)
    cell->ulps = narrow(judged->ulps);
}

void attest_map_place(attest_map *map, const attest_map *part) {
  if (map->cells == NULL || part->cells == NULL)
    return;
  memcpy(map->cells + part->first / map->down * map->wide, part->cells,
         part->high * part->wide * sizeof *part->cells);
}
