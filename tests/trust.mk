# How much can be trusted, checked: slower than `make test`, and some need a tool of Debian's.
#
# make faults     every allocation and every system call on a file is made to fail, one by one;
#                 disks fill up, readers go away
# make faults-leaks   the allocations again, under the address sanitizer and its search for leaks
#                 (both take FAULTS_EVERY=N: only each Nth)
# make kills      kills a run at KILLS=100 moments, goes on each time, compares with one not killed
# make coverage   the tests with gcc's counters: lines and branches that ran, and those that did not
# make mutants    breaks a line at a time, which the tests must notice; MUTANTS=5 takes a sample
# make long       1,000,000 steps; 345,600 in 48 pieces; a sequence of 4,096; a sweep of 10,000 rows;
#                 200 MB of text
# make determinism  the same bits: threads, compilers, -O0 to -O3, widths, the printed command
# make threads    clang's thread sanitizer, told of OpenMP by archer
# make check      clang-tidy, cppcheck and gcc -fanalyzer over the program's files
# make valgrind   memcheck over every test: hours, which may be broken off (ONLY=text: some)
# make ports      other libraries and machines, emulated: the tests, and each other's checkpoints
# make windows    builds with mingw-w64, and runs it where wine is
# make fuzz       feeds every parser what it doesn't expect, with clang's libFuzzer and sanitizers:
#                 each for SECONDS=20, or FUZZ="conllu show" alone; finds stay in build/fuzz/finds
# make fuzz-merge     keeps in tests/fuzz/corpus what the last runs reached that is new
# make fuzz-coverage  lines and branches of each parser that its corpus reaches

# ---- faults --------------------------------------------------------------------------------------
# The program is linked with tests/faults/hook.c, which fails its allocations and stops its clock.
FAULTS = $(patsubst %.c,$(BUILD)/%.o,tests/test.c \
           $(filter-out tests/faults/hook.c,$(wildcard tests/faults/*.c)))
ONE_THREAD = --no-print-directory BUILD=build/faults OPENMP=0 OPT=-O2

$(BUILD)/tests/faults/run: $(OBJECTS) $(FAULTS)
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

# The sanitizer's allocator is the only one there may be, so that the program's calls go past it.
HOOKED = clock_gettime $(if $(findstring address,$(SANITIZE)),malloc calloc realloc aligned_alloc)
$(BUILD)/train-hooked: $(OBJECTS) $(BUILD)/train.o $(BUILD)/tests/faults/hook.o
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(HOOKED:%=-Wl,--wrap=%) $(LIBS)

faults-built: $(BUILD)/tests/faults/run $(BUILD)/train-hooked

faults:
	@$(MAKE) $(ONE_THREAD) faults-built
	build/faults/tests/faults/run all $(CURDIR)/build/faults/train-hooked

LEAKS = --no-print-directory BUILD=build/faults-leaks OPENMP=0 OPT=-O1 SANITIZE=-fsanitize=address
faults-leaks:
	@$(MAKE) $(LEAKS) faults-built
	build/faults-leaks/tests/faults/run allocations $(CURDIR)/build/faults-leaks/train-hooked

kills: $(BUILD)/tests/faults/run $(BUILD)/train-hooked
	$< kills $(CURDIR)/$(BUILD)/train-hooked

.PHONY: faults faults-leaks faults-built kills
-include $(FAULTS:.o=.d) $(BUILD)/tests/faults/hook.d

# ---- coverage, mutants, long runs ---------------------------------------------------------------
# One thread, since the counters are plain numbers. Then what is compiled for each width of vectors,
# at each of them.
COVERED = build/coverage
COUNTED = $(MAKE) BUILD=$(COVERED) CC=gcc OPT=-O1 SANITIZE=--coverage
KERNELS = 'products' 'exp is' 'exp and its sum' 'softmax of' 'gelu' 'the gradient of' 'PyTorch'
coverage: export OMP_NUM_THREADS = 1
coverage: export QKV_TRAIN = $(COVERED)/train
coverage:
	$(COUNTED) $(COVERED)/train $(COVERED)/tests/run
	find $(COVERED) -name '*.gcda' -delete
	$(COUNTED) test
	for width in $(WIDTHS); do for part in $(KERNELS); do \
	  QKV_KERNELS=$$width $(COVERED)/tests/run "$$part" || exit; done; done
	$(PYTHON) tests/coverage.py $(COVERED)

mutants:
	tests/mutants.sh

$(BUILD)/tests/long: $(OBJECTS) $(BUILD)/tests/long.o $(BUILD)/tests/setup.o $(BUILD)/tests/test.o
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

long: $(BUILD)/train $(BUILD)/tests/long
	QKV_TRAIN=$(BUILD)/train $(BUILD)/tests/long

.PHONY: coverage mutants long

# ---- other builds and machines -------------------------------------------------------------------
determinism:
	PYTHON=$(PYTHON) tests/determinism.sh $(QUICK)

threads:
	tests/threads.sh

check:
	tests/check.sh

valgrind:
	tests/valgrind.sh

ports:
	PYTHON=$(PYTHON) tests/ports.sh $(PORTS)

windows:
	PYTHON=$(PYTHON) tests/windows.sh

.PHONY: determinism threads check valgrind ports windows

# ---- fuzzing -------------------------------------------------------------------------------------
FUZZ    ?= arguments conllu coref report safetensors show text question_file
SECONDS ?= 20
FUZZERS  = $(FUZZ:%=$(BUILD)/%)
FUZZ_TRY = echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
           clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
FUZZ_BY  = BUILD=build/fuzz CC=clang OPENMP=0 OPT=-O1 \
           SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"

$(FUZZERS): $(BUILD)/%: $(OBJECTS) $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/fuzz.o \
            $(BUILD)/tests/fuzz/models.o $(BUILD)/tests/json.o
	$(RUN)$(CC) $(FLAGS) -fsanitize=fuzzer $^ -o $@ $(LIBS)

fuzzers: $(FUZZERS)

fuzz:
	@if $(FUZZ_TRY); then \
	  $(MAKE) fuzzers $(FUZZ_BY) && tests/fuzz/run.sh build/fuzz $(SECONDS) $(FUZZ); \
	else \
	  echo 'skipped: $(words $(FUZZ)) fuzzers; no libFuzzer here (Debian: libclang-rt-14-dev)'; \
	  echo '0 passed, 0 failed'; \
	fi

fuzz-merge:
	$(MAKE) fuzzers $(FUZZ_BY)
	tests/fuzz/run.sh build/fuzz merge $(FUZZ)

fuzz-coverage:
	$(MAKE) fuzzers $(FUZZ_BY) BUILD=build/fuzz-coverage \
	  CFLAGS="-fprofile-instr-generate -fcoverage-mapping"
	tests/fuzz/run.sh build/fuzz-coverage coverage $(FUZZ)

.PHONY: fuzz fuzzers fuzz-merge fuzz-coverage
-include $(wildcard $(BUILD)/tests/fuzz/*.d)
