# Fuzz targets, included by ../Makefile: a program for each of FUZZ_TARGETS in $(BUILD)/fuzz, with
# FUZZ_MAIN=fuzzer linked with libFuzzer, otherwise with replay.c. FUZZ_WITHOUT_ORACLE=1: only those of
# FUZZ_PLAIN, and they link nothing but ref/, fixed/ and the C library (MemorySanitizer wants all code
# instrumented).

FUZZ_PROBLEMS := tiled_naive oracle_f32 oracle_f64 rows causal decode merge q16 check layer narrow refusals
FUZZ_READERS := npy npz onnx
FUZZ_TARGETS := $(FUZZ_PROBLEMS) exp $(FUZZ_READERS)
FUZZ_PLAIN := tiled_naive causal decode layer narrow refusals npy

FUZZ_MAIN ?= replay
FUZZ_FLAGS := $(CFLAGS_ALL) $(TOOL_PATHS) $(if $(FUZZ_WITHOUT_ORACLE),-DFUZZ_WITHOUT_ORACLE) \
  $(if $(filter fuzzer,$(FUZZ_MAIN)),-DFUZZ_COUNTERS)
FUZZ_PART = $(addprefix $(BUILD)/fuzz/,$(addsuffix .o,$(1)))
FUZZ_MAIN_OBJ := $(if $(filter replay,$(FUZZ_MAIN)),$(call FUZZ_PART,replay))
FUZZ_SHARED := $(call FUZZ_PART,problem engines compare same_bits_f32 same_bits_f64)
FUZZ_JUDGE := $(if $(FUZZ_WITHOUT_ORACLE),,$(call FUZZ_PART,judge ratio))
FUZZ_LIBS := $(BUILD)/libattest.a $(BUILD)/libattest_q16.a
# Where the oracle only serves to know the bound, libFuzzer must not count what is new in it: it would
# look for slow problems.
FUZZ_BOUND_ONLY := $(if $(filter fuzzer,$(FUZZ_MAIN)),tiled_naive oracle_f32 rows decode merge)
comma := ,
FUZZ_NOT_COUNTED := $(subst fuzzer-no-link$(comma),,$(FUZZ_FLAGS))
FUZZ_UNCOUNTED := $(patsubst ref/oracle/%.c,$(BUILD)/fuzz/uncounted/%.o,$(sort $(wildcard ref/oracle/*.c)))
FUZZ_ORACLE = $(if $(FUZZ_WITHOUT_ORACLE),,$(if $(filter $*,$(FUZZ_BOUND_ONLY)),$(FUZZ_UNCOUNTED),\
  $(BUILD)/libattest_oracle.a))
# The judging functions of the tool.
FUZZ_CHECK = $(if $(filter check,$*),$(TEST_OBJS))
FUZZ_LAYER = $(if $(filter layer,$*),$(call FUZZ_PART,layer_real_f32 layer_real_f64))
# fixed/ once more for machines with narrow multiplication, its names with narrow_ in front.
FUZZ_NARROW = $(if $(filter narrow,$*),$(BUILD)/fuzz/libattest_q16_narrow.a)
FUZZ_NARROW_OBJS := $(patsubst fixed/%.c,$(BUILD)/narrow/%.o,$(sort $(wildcard fixed/*.c)))
NM ?= nm
OBJCOPY ?= objcopy
FUZZ_LINK := $(if $(FUZZ_WITHOUT_ORACLE),-lm,$(TOOL_LIBS) $(HOST_LIBS))
FUZZ_IO := $(addprefix $(BUILD)/tool/io/,npy.o array.o half.o error.o)

$(BUILD)/fuzz/%_f32.o: fuzz/%.c
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -c $< -o $@
$(BUILD)/fuzz/%_f64.o: fuzz/%.c
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -DATTEST_F64 -c $< -o $@
$(BUILD)/fuzz/%.o: fuzz/%.c
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -c $< -o $@
$(BUILD)/fuzz/compare.o $(BUILD)/fuzz/engines.o: FUZZ_FLAGS := $(FUZZ_NOT_COUNTED)
# In the loops of the tiled nest pointers are not checked for null, alignment and overflow by libFuzzer's
# runs, which get a third faster: AddressSanitizer sees what such a pointer reads, and the replays of the
# corpora (replay_all) check them all.
ifneq ($(and $(filter fuzzer,$(FUZZ_MAIN)),$(SANITIZE)),)
$(foreach n,lanes tiled,$(BUILD)/ref/$(n)_f32.o $(BUILD)/ref/$(n)_f64.o): \
  CFLAGS_ALL += -fno-sanitize=null,alignment,pointer-overflow
endif
# In fixed/ unsigned arithmetic is proved not to wrap; clang can see it. (gcc has no such check.)
ifneq ($(and $(findstring clang,$(CC)),$(findstring undefined,$(SANITIZE))),)
$(Q16_OBJS) $(FUZZ_NARROW_OBJS): CFLAGS_ALL += -fsanitize=unsigned-integer-overflow
endif
$(BUILD)/fuzz/uncounted/%.o: ref/oracle/%.c
	@mkdir -p $(@D)
	$(CC) $(FUZZ_NOT_COUNTED) -c $< -o $@
$(BUILD)/narrow/%.o: fixed/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -DATTEST_Q16_NARROW -c $< -o $@
$(BUILD)/fuzz/libattest_q16_narrow.a: $(FUZZ_NARROW_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^
	$(NM) --extern-only --defined-only $@ | sed -n 's/.* [A-Z] \(.*\)/\1 narrow_\1/p' | sort -u >$@.names
	$(OBJCOPY) --redefine-syms=$@.names $@
.SECONDARY: $(call FUZZ_PART,exp_real_f32 exp_real_f64 layer_real_f32 layer_real_f64 reader) $(FUZZ_SHARED) $(FUZZ_JUDGE) $(FUZZ_MAIN_OBJ) $(call FUZZ_PART,$(FUZZ_TARGETS) mutator)

.SECONDEXPANSION:
FUZZ_BIN = $(CC) $(SAN) $(OPENMP) $(if $(filter fuzzer,$(FUZZ_MAIN)),-fsanitize=fuzzer) -o $@ $^ $(FUZZ_LINK)
FUZZ_MUTATOR := $(if $(filter fuzzer,$(FUZZ_MAIN)),$(call FUZZ_PART,mutator))
$(FUZZ_PROBLEMS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/fuzz/%.o $(FUZZ_MUTATOR) \
  $(FUZZ_MAIN_OBJ) $(FUZZ_SHARED) $(FUZZ_JUDGE) $$(FUZZ_CHECK) $$(FUZZ_LAYER) $$(FUZZ_NARROW) $$(FUZZ_ORACLE) $(FUZZ_LIBS)
	$(FUZZ_BIN)
$(BUILD)/fuzz/exp: $(call FUZZ_PART,exp exp_real_f32 exp_real_f64 problem ratio) $(FUZZ_MAIN_OBJ) $(FUZZ_LIBS)
	$(FUZZ_BIN)
$(BUILD)/fuzz/npy: $(call FUZZ_PART,npy reader problem) $(FUZZ_MAIN_OBJ) $(FUZZ_IO) $(FUZZ_LIBS)
	$(FUZZ_BIN)
$(BUILD)/fuzz/npz $(BUILD)/fuzz/onnx: $(BUILD)/fuzz/%: $(BUILD)/fuzz/%.o \
  $(call FUZZ_PART,reader problem) $(FUZZ_MAIN_OBJ) $(IO_OBJS) $(FUZZ_LIBS)
	$(FUZZ_BIN)

.PHONY: fuzz-targets fuzz-plain fuzz-names fuzz-plain-names
fuzz-names:
	@echo $(FUZZ_TARGETS)
fuzz-plain-names:
	@echo $(FUZZ_PLAIN)
fuzz-targets: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
fuzz-plain: $(FUZZ_PLAIN:%=$(BUILD)/fuzz/%)

-include $(wildcard $(BUILD)/fuzz/*.d $(BUILD)/narrow/*.d)
