/* In place of cmocka for the instrumented tests: the real header keeps its own memory and jumps out of
   functions, which E-ACSL's record of live memory does not survive. A failed assertion ends the program. */
#ifndef EACSL_CMOCKA_H
#define EACSL_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A test runs where the table of tests is made: E-ACSL does not follow pointers to functions. */
struct CMUnitTest {
  int ran;
};

#define cmocka_unit_test(f) {eacsl_wanted(#f) ? (f(NULL), eacsl_ran()) : 0}

int eacsl_wanted(const char *test);
int eacsl_ran(void);

#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), exit(1))
#define print_message(...) ((void)printf(__VA_ARGS__))
#define eacsl_expect(holds) \
  ((holds) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #holds), exit(1)))
#define assert_true(x) eacsl_expect(x)
#define assert_false(x) eacsl_expect(!(x))
#define assert_non_null(x) eacsl_expect((x) != NULL)
#define assert_int_equal(a, b) eacsl_expect((a) == (b))
#define assert_in_range(x, least, most) eacsl_expect((x) >= (least) && (x) <= (most))
#define assert_memory_equal(a, b, size) eacsl_expect(memcmp(a, b, size) == 0)
#define assert_string_not_equal(a, b) eacsl_expect(strcmp(a, b) != 0)

#define cmocka_run_group_tests_name(file, tests, setup, teardown) ((tests)[0].ran == 0)
#define cmocka_run_group_tests(tests, setup, teardown) ((tests)[0].ran == 0)

#endif
