# attest: `make help` lists the targets.
#
# Variables: CC (cc), BUILD (build), NATIVE=1 (-march=native), OPT (-O3), SANITIZE=address,undefined,
# PREFIX (/usr/local), DESTDIR, ATTEST_NO_INSTALL=1 (only name missing packages, install nothing).

BUILD ?= build
OPT ?= -O3
PREFIX ?= /usr/local
VERSION := 0.1.0

WARN := -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
# Contraction off is the promise of the same bits; the other two let lane loops vectorise and change
# no value: libm's errno is not read, and no trap handler is installed.
FLOAT := -ffp-contract=off -fno-math-errno -fno-trapping-math
ARCH := $(if $(NATIVE),-march=native -mprefer-vector-width=512) $(ARCH_EXTRA)
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
CFLAGS_ALL := $(WARN) $(FLOAT) $(OPT) $(ARCH) $(SAN) $(CFLAGS) -MMD -MP
HOST_LIBS := -lzip -lm
ORACLE_LIBS := -lmpfi -lmpfr -lgmp
TOOL_LIBS := $(ORACLE_LIBS) -ljansson -lprotobuf-c -lnettle -lpng
# Threads where the compiler has OpenMP; the same results without.
OPENMP := $(shell echo 'int main(void){return 0;}' | $(CC) -fopenmp -x c -o /dev/null - 2>/dev/null && echo -fopenmp)

# ref/: every source twice, as float and as double, but for those that know no real.
ONCE := status layout
TWICE := $(filter-out $(ONCE),$(notdir $(basename $(sort $(wildcard ref/*.c)))))
# For x86-64 in general, the nests once for each vector width; ref/x86/dispatch.c picks one.
ISAS := $(if $(strip $(ARCH)),,$(if $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),base avx2 avx512))
ISA_avx2 := -mavx2
ISA_avx512 := -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512
NEST := $(if $(ISAS),lanes tiled decode)
TWICE := $(filter-out $(NEST),$(TWICE)) $(if $(ISAS),x86/dispatch)
ISA_OBJS := $(foreach i,$(ISAS),$(foreach n,$(NEST),$(BUILD)/isa/$(n)_$(i)_f32.o $(BUILD)/isa/$(n)_$(i)_f64.o))
LIB_OBJS := $(ONCE:%=$(BUILD)/ref/%.o) $(TWICE:%=$(BUILD)/ref/%_f32.o) $(TWICE:%=$(BUILD)/ref/%_f64.o)
PIC_OBJS := $(LIB_OBJS:$(BUILD)/ref/%=$(BUILD)/pic/%)
ORACLE_OBJS := $(patsubst ref/oracle/%.c,$(BUILD)/oracle/%.o,$(sort $(wildcard ref/oracle/*.c)))
Q16_OBJS := $(patsubst fixed/%.c,$(BUILD)/fixed/%.o,$(sort $(wildcard fixed/*.c)))
ONNX := $(BUILD)/gen/onnx.pb-c
TOOL_PATHS := -Iref -Ifixed -Iref/oracle -Iref/tool -Iref/tool/io -I$(BUILD)/gen
TOOL_OBJS := $(patsubst ref/tool/%.c,$(BUILD)/tool/%.o,$(sort $(wildcard ref/tool/*.c ref/tool/io/*.c))) $(ONNX).o
IO_OBJS := $(patsubst ref/tool/%.c,$(BUILD)/tool/%.o,$(sort $(wildcard ref/tool/io/*.c))) $(ONNX).o
TEST_OBJS := $(filter-out $(BUILD)/tool/main.o,$(TOOL_OBJS))
LIBS := $(BUILD)/libattest_oracle.a $(BUILD)/libattest.a $(BUILD)/libattest_q16.a
# Tests: those of code that knows real are built as float and as double, the others once.
REAL_TESTS := $(wildcard $(addprefix tests/unit/test_,$(addsuffix .c, \
  bits decode exp2 functions layer naive part score status visible)) tests/conformance/*.c)
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter-out $(REAL_TESTS),$(wildcard tests/unit/test_*.c))) \
  $(REAL_TESTS:tests/%.c=$(BUILD)/tests/%_f32) $(REAL_TESTS:tests/%.c=$(BUILD)/tests/%_f64)

.PHONY: all lib tool demo test unit prove prove-int16 smoke eva eacsl bounds bench port pair peers install help clean need-% exhaustive \
  fuzz fuzz-long coverage mutants

all: lib tool
lib: $(BUILD)/libattest.a $(BUILD)/libattest.so $(BUILD)/libattest_q16.a
tool: $(BUILD)/attest

help:
	@sed -n 's/^##//p' Makefile

##  make demo        the lesson's attention with its numbers, all engines side by side
##  make test        every test; ends with 'N passed, N failed'
##  make prove       Frama-C WP on ref/ and fixed/ [FILE=ref/naive.c for one file]
##  make smoke       contradictions in the proofs after every statement and call [FILE=...] (half an hour)
##  make prove-int16 fixed/ once more, for an int of 16 bits
##  make eacsl       the contracts of ref/ executed in the unit tests (Frama-C E-ACSL)
##  make eva         ref/ and fixed/ on unknown contents (Frama-C Eva)
##  make bounds      the error bounds of 2^f, log and tanh by Sollya and Gappa
##  make bench       speed against the machine's peak, naive and tiled, one core
##  make port        fixed/ on eight microcontrollers under QEMU and simavr
##  make pair        fixed/ as one pair of files, with Arduino and Zephyr metadata, in build/pair
##  make peers       softmax and exp of fixed/ beside CMSIS-NN's and libfixmath's (tests/peers/run says how)
##  make exhaustive  every float, a million elements of the oracle (three quarters of an hour)
##  make fuzz        every fuzz target for SECONDS=60, two at a time; prints a table
##  make fuzz-long   the same for nights, SECONDS=3600 a target
##  make mutants     small faults put into ref/ and fixed/ one at a time, and what notices [QUICK=10]
##  make coverage    line and branch coverage of ref/ and fixed/ by tests and fuzz corpus
##  make install     library, headers, pkg-config file and the command [PREFIX, DESTDIR]
##  make lib, tool   build only; make clean

demo:
	@sh tests/need demo
	@$(MAKE) --no-print-directory -s tool
	@$(BUILD)/attest demo

test:
	@sh tests/need test
	@$(MAKE) --no-print-directory -s run-tests

.PHONY: run-tests
run-tests:
	@sh tests/run

prove:
	@sh tests/need prove
	@proofs/run $(if $(NO_CACHE),--no-cache) $(if $(FILE),--show) $(FILE)

smoke:
	@sh tests/need prove
	@proofs/run --smoke-all $(FILE)

prove-int16:
	@sh tests/need prove
	@proofs/run --machdep gcc_x86_16 --no-smoke $(FILE)

eva:
	@sh tests/need prove
	@proofs/eva/run

eacsl:
	@sh tests/need test prove
	@proofs/eacsl/run

bounds:
	@sh tests/need prove
	@proofs/gappa/run

bench:
	@sh tests/need bench
	@sh tests/bench/run

port:
	@sh tests/need port
	@python3 tests/port/run

pair:
	@fixed/amalgamate $(BUILD)/pair

peers:
	@sh tests/need port test
	@python3 tests/peers/run

exhaustive:
	@sh tests/need exhaustive
	@$(MAKE) --no-print-directory -s $(BUILD)/tests/functions $(BUILD)/tests/exp_q16 $(ORACLE_TESTS)
	@$(BUILD)/tests/exp_q16
	@$(BUILD)/tests/functions 1
	@$(BUILD)/tests/oracle/arb 8000
	@$(BUILD)/tests/oracle/soundness 1000000
	@$(BUILD)/tests/oracle/q16 13500000
	@proofs/gappa/run

fuzz:
	@sh tests/need fuzz
	@sh fuzz/run $(or $(SECONDS),60) $(TARGETS)

fuzz-long:
	@sh tests/need fuzz
	@sh fuzz/run --long $(or $(SECONDS),3600) $(TARGETS)

mutants:
	@sh tests/need test fuzz prove
	@fuzz/mutants $(if $(QUICK),--quick $(QUICK))

coverage:
	@sh tests/need coverage
	@sh fuzz/coverage

$(BUILD)/ref/%_f32.o: ref/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -c $< -o $@
$(BUILD)/ref/%_f64.o: ref/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -DATTEST_F64 -c $< -o $@
$(BUILD)/ref/%.o: ref/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -c $< -o $@
$(BUILD)/pic/%_f32.o: ref/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fPIC -c $< -o $@
$(BUILD)/pic/%_f64.o: ref/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fPIC -DATTEST_F64 -c $< -o $@
$(BUILD)/pic/%.o: ref/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fPIC -c $< -o $@
define ISA_RULES
$(BUILD)/isa/%_$(1)_f32.o: ref/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_ALL) $$(ISA_$(1)) -fPIC -DATTEST_ISA=$(1) -c $$< -o $$@
$(BUILD)/isa/%_$(1)_f64.o: ref/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS_ALL) $$(ISA_$(1)) -fPIC -DATTEST_ISA=$(1) -DATTEST_F64 -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call ISA_RULES,$(i))))
# The reader of ONNX files, from a schema of the fields it needs; generated code keeps its own style.
$(ONNX).c: ref/tool/io/onnx.proto
	@mkdir -p $(@D)
	protoc-c -Iref/tool/io --c_out=$(@D) onnx.proto
$(ONNX).o: $(ONNX).c
	$(CC) $(CFLAGS_ALL) -w -c $< -o $@
$(BUILD)/tool/io/onnx_file.o: $(ONNX).c
$(BUILD)/oracle/%.o: ref/oracle/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Iref -c $< -o $@
$(BUILD)/tool/%.o: ref/tool/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(OPENMP) $(TOOL_PATHS) -c $< -o $@

$(BUILD)/libattest.a: $(LIB_OBJS) $(ISA_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/libattest.so: $(PIC_OBJS) $(ISA_OBJS)
	$(CC) $(SAN) -shared -Wl,-soname,libattest.so.0 -o $@ $^ -lm
$(BUILD)/fixed/%.o: fixed/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -fPIC -c $< -o $@
$(BUILD)/libattest_q16.a: $(Q16_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/libattest_oracle.a: $(ORACLE_OBJS)
	@rm -f $@
	$(AR) rcs $@ $^
$(BUILD)/attest: $(TOOL_OBJS) $(LIBS)
	$(CC) $(SAN) $(OPENMP) -o $@ $(TOOL_OBJS) $(LIBS) $(TOOL_LIBS) $(HOST_LIBS)
BUILD_TEST = $(CC) $(CFLAGS_ALL) $(OPENMP) $(TOOL_PATHS) -Itests/unit -o $@ $< $(TEST_OBJS) $(LIBS) \
  -lcmocka $(TOOL_LIBS) $(HOST_LIBS)
$(BUILD)/tests/test_%: tests/unit/test_%.c $(TEST_OBJS) $(LIBS)
	@mkdir -p $(@D)
	$(BUILD_TEST)
$(BUILD)/tests/%_f32: tests/%.c $(TEST_OBJS) $(LIBS)
	@mkdir -p $(@D)
	$(BUILD_TEST)
$(BUILD)/tests/%_f64: tests/%.c $(TEST_OBJS) $(LIBS)
	@mkdir -p $(@D)
	$(BUILD_TEST) -DATTEST_F64
$(BUILD)/tests/check/faults: tests/check/faults.c $(TEST_OBJS) $(LIBS)
	@mkdir -p $(@D)
	$(BUILD_TEST)
$(BUILD)/tests/tool/arrays: tests/tool/arrays.c $(TEST_OBJS) $(LIBS)
	@mkdir -p $(@D)
	$(BUILD_TEST)
# The command, with an allocation that fails.
$(BUILD)/tests/tool/scarce: tests/tool/scarce.c $(TOOL_OBJS) $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(OPENMP) $(foreach f,malloc calloc realloc,-Wl,--wrap=$(f)) -o $@ $< $(TOOL_OBJS) \
	  $(LIBS) $(TOOL_LIBS) $(HOST_LIBS)
# Programs of their own against the oracle: an independent evaluation with Arb, soundness, tightness.
$(BUILD)/tests/oracle/%: tests/oracle/%.c tests/oracle/problem.c $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Iref -Iref/oracle -Itests/unit -Itests/oracle -o $@ $< tests/oracle/problem.c \
	  $(LIBS) $(ORACLE_LIBS) $(if $(findstring arb,$*),-lflint-arb -lflint) -lm
$(BUILD)/bench-oracle: tests/bench/oracle.c $(LIBS)
	$(CC) $(CFLAGS_ALL) -Iref -Iref/oracle -o $@ $< $(LIBS) $(ORACLE_LIBS) -lm
$(BUILD)/bench: tests/bench/bench.c tests/bench/bench_real.h $(BUILD)/libattest.a
	$(CC) $(CFLAGS_ALL) -Iref -o $@ $< $(BUILD)/libattest.a -lm
$(BUILD)/tests/functions: $(wildcard tests/exhaustive/functions*.c) $(wildcard ref/*.h)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -Iref -o $@ $(filter %.c,$^) -lmpfr -lgmp -lm
$(BUILD)/tests/exp_q16: tests/exhaustive/exp_q16.c $(BUILD)/libattest_q16.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Iref -o $@ $< $(BUILD)/libattest_q16.a -lmpfr -lgmp -lm

ORACLE_TESTS := $(addprefix $(BUILD)/tests/oracle/,arb soundness tightness q16 q16_softmax)
unit: $(UNIT) $(ORACLE_TESTS)

include fuzz/rules.mk

install:
	@sh tests/need demo
	@$(MAKE) --no-print-directory -s lib tool
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 755 $(BUILD)/attest $(DESTDIR)$(PREFIX)/bin/attest
	install -m 644 ref/attest.h ref/attest_real.h fixed/attest_q16.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(BUILD)/libattest.a $(BUILD)/libattest_q16.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/libattest.so $(DESTDIR)$(PREFIX)/lib/libattest.so.$(VERSION)
	ln -sf libattest.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libattest.so.0
	ln -sf libattest.so.0 $(DESTDIR)$(PREFIX)/lib/libattest.so
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: attest' 'Description: verified reference for attention' \
	  'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lattest' \
	  'Libs.private: -lm' > $(DESTDIR)$(PREFIX)/lib/pkgconfig/attest.pc

clean:
	rm -rf $(BUILD)

-include $(wildcard $(BUILD)/ref/*.d $(BUILD)/ref/*/*.d $(BUILD)/pic/*.d $(BUILD)/pic/*/*.d $(BUILD)/isa/*.d $(BUILD)/tool/*.d $(BUILD)/oracle/*.d $(BUILD)/fixed/*.d $(BUILD)/tool/io/*.d $(BUILD)/tests/*.d $(BUILD)/tests/*/*.d)
