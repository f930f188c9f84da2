# How much can be trusted, checked: slower than `make test`, and some need a tool of Debian's.
#
# make fuzz       feeds every parser what it doesn't expect, with clang's libFuzzer and sanitizers:
#                 each for SECONDS=20, or FUZZ="conllu show" alone; finds stay in build/fuzz/finds
# make fuzz-merge     keeps in tests/fuzz/corpus what the last runs reached that is new
# make fuzz-coverage  lines and branches of each parser that its corpus reaches

# ---- those ---------------------------------------------------------------------------------------

# ---- fuzzing -------------------------------------------------------------------------------------
FUZZ    ?= arguments conllu report safetensors show text $(if $(wildcard data/written.c),written)
SECONDS ?= 20
FUZZERS  = $(FUZZ:%=$(BUILD)/%)
FUZZ_TRY = echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
           clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
FUZZ_BY  = BUILD=build/fuzz CC=clang OPENMP=0 OPT=-O1 \
           SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"

$(FUZZERS): $(BUILD)/%: $(OBJECTS) $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/fuzz.o \
            $(BUILD)/tests/fuzz/models.o
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
