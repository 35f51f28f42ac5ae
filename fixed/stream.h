/* Contracts of the streaming functions of attest_q16.h. */
#ifndef ATTEST_Q16_STREAM_H
#define ATTEST_Q16_STREAM_H

#include "attest_q16.h"

/*@ predicate attest_q16_column_ok(attest_q16_column column, integer keys) =
      column.high <= keys * 1099511627776;

    predicate attest_q16_columns_ok{L}(attest_q16_column *columns, integer width, integer keys) =
      \forall integer c; 0 <= c < width ==> attest_q16_column_ok(columns[c], keys);

    predicate attest_q16_stream_ok{L}(attest_q16_stream *stream, attest_q16_column *columns,
                                      integer width) =
      stream->keys <= 65536 && stream->total <= stream->keys * 549755813888 &&
      attest_q16_columns_ok(columns, width, stream->keys);
*/

/*@ requires stream == \null || \valid(stream);
    requires columns != \null && value_width <= 1024 ==>
      \valid(columns + (0 .. value_width - 1));
    requires stream != \null && columns != \null ==>
      \separated(stream, columns + (0 .. value_width - 1));
    assigns *stream, columns[0 .. value_width - 1];
    ensures \result == ATTEST_Q16_OK ==> attest_q16_stream_ok(stream, columns, value_width);
*/
attest_q16_status attest_q16_stream_start(attest_q16_stream *stream, attest_q16_column *columns,
                                          uint32_t value_width);

/*@ requires stream == \null || \valid(stream);
    requires columns != \null && value_width <= 1024 ==>
      \valid(columns + (0 .. value_width - 1));
    requires q != \null && width <= 1024 ==> \valid_read(q + (0 .. width - 1));
    requires k != \null && width <= 1024 ==> \valid_read(k + (0 .. width - 1));
    requires v != \null && value_width <= 1024 ==> \valid_read(v + (0 .. value_width - 1));
    requires stream != \null && columns != \null ==>
      attest_q16_stream_ok(stream, columns, value_width);
    requires stream != \null && columns != \null ==>
      \separated(stream, columns + (0 .. value_width - 1));
    assigns *stream, columns[0 .. value_width - 1];
    ensures \result == ATTEST_Q16_OK ==> attest_q16_stream_ok(stream, columns, value_width);
*/
attest_q16_status attest_q16_stream_add(attest_q16_stream *stream, attest_q16_column *columns,
                                        const int32_t *q, const int32_t *k, uint32_t width,
                                        const int32_t *v, uint32_t value_width,
                                        attest_q16_scale scale);

/*@ requires stream == \null || \valid_read(stream);
    requires columns != \null && value_width <= 1024 ==>
      \valid_read(columns + (0 .. value_width - 1));
    requires out != \null && value_width <= 1024 ==> \valid(out + (0 .. value_width - 1));
    requires stream != \null && columns != \null ==>
      attest_q16_stream_ok(stream, columns, value_width);
    assigns out[0 .. value_width - 1];
*/
attest_q16_status attest_q16_stream_output(const attest_q16_stream *stream,
                                           const attest_q16_column *columns, uint32_t value_width,
                                           int32_t *out);

#endif
