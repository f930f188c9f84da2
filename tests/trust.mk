# How much can be trusted, checked: slower than `make test`, and some need a tool of Debian's.
#
# make coverage   the tests with gcc's counters: lines and branches that ran, and those that did not
# make mutants    breaks a line at a time, which the tests must notice; MUTANTS=5 takes a sample
# make long       1,000,000 steps, a sequence of 4,096, a sweep of 10,000 rows, 200 MB of text

# ---- those ---------------------------------------------------------------------------------------

# One thread, since the counters are plain numbers. Then what is compiled for each width of vectors, at
# each of them.
COVERED = build/coverage
COUNTED = $(MAKE) BUILD=$(COVERED) CC=gcc OPT=-O1 SANITIZE=--coverage
KERNELS = 'products' 'exp is' 'exp and its sum' 'softmax of' 'gelu' 'the gradient of' 'PyTorch'
coverage: export OMP_NUM_THREADS = 1
coverage: export QKV_TRAIN = $(CURDIR)/$(COVERED)/train
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
	QKV_TRAIN=$(CURDIR)/$(BUILD)/train $(BUILD)/tests/long

.PHONY: coverage mutants long
