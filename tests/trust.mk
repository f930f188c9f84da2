# How much can be trusted, checked: slower than `make test`, and some need a tool of Debian's.
# make determinism    the same bits: threads, compilers, -O0 to -O3, widths, the printed command line
# make threads        clang's thread sanitizer, told of OpenMP by archer
# make check          clang-tidy, cppcheck and gcc -fanalyzer over the program's files
# make valgrind       memcheck over the tests but the slow ones
# make ports          other libraries and machines, by emulation: tests, and each other's checkpoints
# make windows        builds with mingw-w64, and runs it where wine is

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
# ---- those ---------------------------------------------------------------------------------------
