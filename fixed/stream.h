/* Contracts of the streaming functions of attest_q16.h. */
#ifndef ATTEST_Q16_STREAM_H
#define ATTEST_Q16_STREAM_H

#include "attest_q16.h"

/*@ predicate attest_q16_column_ok(attest_q16_column column, integer keys) =
      column.high <= keys * 1099511627776 && (keys >= 1 ==> column.least <= column.most);

    predicate attest_q16_columns_ok{L}(attest_q16_column *columns, integer width, integer keys) =
      \forall integer c; 0 <= c < width ==> attest_q16_column_ok(columns[c], keys);

    predicate attest_q16_total_ok(attest_q16_stream stream) =
      stream.keys <= 65536 && stream.total <= stream.keys * 549755813888 &&
      (stream.keys == 0 ==> stream.top == 0) && (stream.keys >= 1 ==> stream.total >= 1);

    predicate attest_q16_stream_ok{L}(attest_q16_stream *stream, attest_q16_column *columns,
                                      integer width) =
      attest_q16_total_ok(*stream) && attest_q16_columns_ok(columns, width, stream->keys);

    // the smallest and the largest value of each column, with one value more
    predicate attest_q16_columns_saw{K, L}(attest_q16_column *columns, int32_t *v, integer width) =
      \forall integer c; 0 <= c < width ==>
        \at(columns[c].least, L) == \min(\at(columns[c].least, K), \at(v[c], K) + 2147483648) &&
        \at(columns[c].most, L) == \max(\at(columns[c].most, K), \at(v[c], K) + 2147483648);
*/

/*@ requires stream == \null || \valid(stream);
    requires columns != \null && value_width <= 1024 ==>
      \valid(columns + (0 .. value_width - 1));
    requires stream != \null && columns != \null ==>
      \separated(stream, columns + (0 .. value_width - 1));
    assigns *stream, columns[0 .. value_width - 1];
    ensures \result == ATTEST_Q16_OK ==> attest_q16_stream_ok(stream, columns, value_width);
    ensures start: \result == ATTEST_Q16_OK ==> stream->keys == 0 &&
      \forall integer c; 0 <= c < value_width ==>
        columns[c].least == 4294967295 && columns[c].most == 0;
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
    ensures keys: \result == ATTEST_Q16_OK ==> stream->keys == \old(stream->keys) + 1;
    ensures saw: \result == ATTEST_Q16_OK ==>
      attest_q16_columns_saw{Pre, Post}(columns, v, value_width);
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
    ensures zero: \result == ATTEST_Q16_OK && stream->keys == 0 ==>
      \forall integer c; 0 <= c < value_width ==> out[c] == 0;
    ensures between: \result == ATTEST_Q16_OK && stream->keys >= 1 ==>
      \forall integer c; 0 <= c < value_width ==>
        columns[c].least <= out[c] + 2147483648 <= columns[c].most;
*/
attest_q16_status attest_q16_stream_output(const attest_q16_stream *stream,
                                           const attest_q16_column *columns, uint32_t value_width,
                                           int32_t *out);

#endif
