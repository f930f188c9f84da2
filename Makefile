# make            builds ./train
# make run        builds it and runs it
# make test       builds and runs the tests
# make claims     builds and runs every claim over five seeds, prints their table; CLAIM=15 does one
# make results    every table of the results pages from nothing; PARTS="search text" does some
# make bench      measures products, steps, memory; a long run, a busy machine
# make bench-growth   the same as batch, context, width and layers are doubled
# make bench-torch    steps in turn with the same models in PyTorch, where that is installed
# make sanitize   the tests with address and undefined-behaviour sanitizers
# make clean      removes what was built (results in out/ stay)
#
# CC=clang, OPENMP=0, OPT=-O0 and BUILD=build/other do what they say. A set with its own BUILD is
# kept beside the others; one without is noticed (BUILD/flags holds the last) and everything is
# built anew. V=1 shows the commands.

MAKEFLAGS += --no-builtin-rules
ifndef V
  RUN = @echo '  $@';
endif
ifeq ($(origin CC),default)
  CC = cc
endif
BUILD   ?= build
PYTHON  ?= python3
OPT     ?= -O3
OPENMP  ?= 1
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
           -Wvla -Wpointer-arith -Wcast-qual
# Not -ffast-math, which autograd/tape.h refuses: infinities, NaN and the order of sums stay what
# the source says. These two only drop errno and floating-point traps, which nothing here reads.
CFLAGS  ?= -g
FLAGS    = -std=c11 -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I. -I$(BUILD) \
           $(OPT) -fno-math-errno -fno-trapping-math -ffp-contract=off \
           $(WARNINGS) $(SANITIZE) $(CFLAGS)
LIBS     = -lm

# What is compiled for, as the compiler's own macros say: `gcc -m32` calls itself x86_64 otherwise.
TARGET := $(filter __%,$(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null))

# A float is computed as a float, nowhere as something wider that is rounded later: not in the x87
# registers of 32-bit x86, nor as the double that gcc takes for it on s390x.
ifneq ($(filter __i386__,$(TARGET)),)
  FLAGS += -msse2 -mfpmath=sse
endif
ifneq ($(filter __s390x__,$(TARGET)),)
  FLAGS += -fexcess-precision=fast
endif

# For Windows (CC=x86_64-w64-mingw32-gcc) model/windows stands in for what of POSIX mingw-w64 lacks.
# Its stack is aligned to 16 bytes alone, so no vector is taken to lie better; isnan is its macro.
ifneq ($(filter __MINGW32__,$(TARGET)),)
  FLAGS += -D__USE_MINGW_ANSI_STDIO=1 -Imodel/windows -include model/windows/posix.h \
           -Wa,-muse-unaligned-vector-move -Wno-format -Wno-float-conversion
  LIBS += -static -lpthread
  PORT = model/windows/posix.c
endif

# OpenMP where the compiler has it: arms train side by side. The results are the same bits without.
ifeq ($(OPENMP),1)
  HAVE_OPENMP := $(shell echo 'int main(void){return 0;}' | \
                   $(CC) -fopenmp -x c - -o /dev/null 2>/dev/null && echo yes)
  ifeq ($(HAVE_OPENMP),yes)
    FLAGS += -fopenmp
  endif
endif
ifneq ($(findstring -fopenmp,$(FLAGS)),-fopenmp)
  FLAGS += -Wno-unknown-pragmas
endif

# These are compiled once for each vector width; autograd/simd/dispatch.c chooses at run time.
WIDE   = autograd/simd/gemm.c autograd/simd/kernels.c autograd/simd/loops.c
WIDTHS = plain
ifneq ($(filter __x86_64__,$(TARGET)),)
  WIDTHS += avx2 avx512
endif
KERNEL_plain  =
KERNEL_avx2   = -mavx2 -mfma
KERNEL_avx512 = -mavx512f -mfma

FOLDERS = autograd autograd/simd data \
          model model/train model/save model/sweep model/view model/view/report
SOURCES = $(filter-out $(WIDE),$(wildcard $(FOLDERS:%=%/*.c))) $(PORT)
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/model/view/report/page.o \
          $(foreach w,$(WIDTHS),$(WIDE:%.c=$(BUILD)/%_$(w).o))
TESTS   = $(patsubst %.c,$(BUILD)/%.o, \
            $(filter-out tests/claims_main.c tests/bench%.c tests/long.c, $(wildcard tests/*.c)))
CLAIMS  = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/claims*.c) \
            tests/layer.c tests/net.c tests/setup.c tests/stories.c tests/test.c)
BENCH   = $(patsubst %.c,$(BUILD)/%.o,tests/bench.c tests/setup.c tests/test.c) \
          $(WIDTHS:%=$(BUILD)/tests/bench_peak_%.o)

# Copied whenever it differs, whichever of the two is newer: builds with another BUILD copy theirs.
train: $(BUILD)/train FORCE
	@cmp -s $< $@ || cp $< $@

# Written only if it would change, so that it is newer than the objects only then.
COMPILED_BY = $(CC) $(FLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILED_BY)' | cmp -s - $@ || echo '$(COMPILED_BY)' >$@

$(BUILD)/train: $(OBJECTS) $(BUILD)/train.o
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

$(BUILD)/tests/run: $(OBJECTS) $(TESTS)
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

$(BUILD)/tests/claims: $(OBJECTS) $(CLAIMS)
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

$(BUILD)/tests/bench: $(OBJECTS) $(BENCH)
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS) -ldl

# A file of those, or of the bench's, for one width: $(call for_width,FILE,WIDTH)
# gemm.c and kernels.c fuse products with sums, and gcc does that from -O2 on, whatever OPT is for
# the rest: so their bits are the same. loops.c rounds each operation as it is written.
FUSED = -ffp-contract=fast -Wno-psabi $(if $(filter -O0 -O1 -Og,$(OPT)),-O2)
define for_width
$(BUILD)/$(1:%.c=%)_$(2).o: $(1) $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(RUN)$(CC) $(FLAGS) $(if $(findstring loops,$(1)),,$(FUSED)) $(KERNEL_$(2)) -DKERNELS=$(2) \
	  -MMD -MP -c $$< -o $$@
endef
$(foreach w,$(WIDTHS),$(foreach f,$(WIDE) tests/bench_peak.c,$(eval $(call for_width,$(f),$(w)))))

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(RUN)$(CC) $(FLAGS) -MMD -MP -c $< -o $@

# The report's page, read by people under model/view/report/ and compiled in, a literal a line (C11
# promises 4,095 characters of one). A question mark is escaped for the sake of trigraphs.
PAGE    = model/view/report
SCRIPTS = $(patsubst %,$(PAGE)/%.js,data figure chart focus controls map table sentence playback curves \
            inside tasks sweep) $(patsubst %,model/web/%.js,wasm typed) $(PAGE)/answers.js $(PAGE)/page.js
WORKER  = model/web/answer.js
# The module with which a page answers sentences: there once `make playground` has built it, and from
# then on kept up to date. Without it nothing here needs more than cc.
MODULE := $(wildcard $(BUILD)/web/answer.wasm)
$(BUILD)/module: FORCE
	@mkdir -p $(@D)
	@echo '$(MODULE)' | cmp -s - $@ || echo '$(MODULE)' >$@
$(BUILD)/model/view/report/page.c: $(PAGE)/report.html $(PAGE)/report.css $(SCRIPTS) $(WORKER) \
                            model/web/notices.txt $(MODULE) $(BUILD)/module Makefile
	@mkdir -p $(@D)
	@lines() { printf 'const char *const page_%s[] = {\n' $$1; shift; \
	           sed 's/[\\"?]/\\&/g; s/.*/"&\\n",/' "$$@"; echo '0};'; }; \
	{ echo '#include "model/view/report/report.h"'; lines html $(PAGE)/report.html; \
	  lines css $(PAGE)/report.css; lines script $(SCRIPTS); \
	  $(if $(MODULE),gzip -9nc $(MODULE) | base64 |) lines module $(if $(MODULE),,/dev/null); \
	  lines worker $(WORKER); lines notices model/web/notices.txt; } > $@

$(BUILD)/model/view/report/page.o: $(BUILD)/model/view/report/page.c
	$(RUN)$(CC) $(FLAGS) -MMD -MP -c $< -o $@

# Which version this is, for the reports to say; touched only where it has changed.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D)
	@echo '#define QKV_VERSION "$(VERSION)"' | cmp -s - $@ || \
	  echo '#define QKV_VERSION "$(VERSION)"' > $@
$(BUILD)/model/view/report/snapshots.o $(BUILD)/train.o: $(BUILD)/version.h

run: train
	./train

test: $(BUILD)/train $(BUILD)/tests/run
	QKV_TRAIN=$(BUILD)/train $(BUILD)/tests/run

claims: $(BUILD)/tests/claims
	$< $(CLAIM)

results: train
	tests/results.sh run $(PARTS)

bench: $(BUILD)/tests/bench
	for width in $(WIDTHS); do QKV_KERNELS=$$width $< products; QKV_KERNELS=$$width $< steps; done
	$< start
	$< lasting
	$< beside

bench-growth: $(BUILD)/tests/bench
	$< growth

bench-torch: $(BUILD)/tests/bench
	$(PYTHON) tests/bench_torch.py

# The claims take one seed here: the sanitizers are slow.
sanitize:
	QKV_SEEDS=1 $(MAKE) test BUILD=build/sanitize OPT=-O1 \
	  SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"

clean:
	rm -rf build train

# The comments at the heads of these files.
help:
	@for file in Makefile $(MORE); do sed -n '/^#/!q; s/^# \{0,1\}//p' $$file; echo; done

MORE = tests/exercises/exercises.mk tests/recipes/recipes.mk tests/trust.mk model/web/web.mk
include $(MORE)

.PHONY: run test claims results bench bench-growth bench-torch sanitize clean help FORCE
-include $(OBJECTS:.o=.d) $(TESTS:.o=.d) $(CLAIMS:.o=.d) $(BENCH:.o=.d) $(BUILD)/train.d
