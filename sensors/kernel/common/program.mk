# How a privileged program is built: one static binary, for the machine it is built on. Its Makefile sets PROGRAM and
# LIBRARIES, and for its fuzzer FUZZED (the sources of its protocol's parser) and FUZZ_LINK.
#
#   make            build/PROGRAM
#   make test-asan  build/PROGRAM-asan, for the tests
#   make test-fuzz  build/PROGRAM-fuzz, libFuzzer with that parser; without the kernel, which fuzz/stubs.c replaces
#   make format-check

CC ?= cc
CLANG ?= clang
CLANG_FORMAT ?= clang-format
OUT ?= build

SOURCES = $(sort $(wildcard *.c) $(wildcard ../common/*.c))
HEADERS = $(wildcard *.h) $(wildcard ../common/*.h)

WARNINGS = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wconversion
COMMON = -std=gnu11 -D_GNU_SOURCE -I../common $(WARNINGS)
HARDENING = -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fstack-clash-protection -fPIE -fno-common
RELEASE = $(COMMON) $(HARDENING) -O2 -ffunction-sections -fdata-sections
LINK = -static-pie -s -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--build-id=none
ASAN = $(COMMON) -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

all: $(OUT)/$(PROGRAM)

$(OUT)/$(PROGRAM): $(SOURCES) $(HEADERS) Makefile ../common/program.mk
	@mkdir -p $(OUT)
	$(CC) $(RELEASE) $(LINK) -o $@ $(SOURCES) $(LIBRARIES)

test-asan: $(OUT)/$(PROGRAM)-asan

$(OUT)/$(PROGRAM)-asan: $(SOURCES) $(HEADERS) Makefile ../common/program.mk
	@mkdir -p $(OUT)
	$(CC) $(ASAN) -o $@ $(SOURCES) $(LIBRARIES)

test-fuzz: $(OUT)/$(PROGRAM)-fuzz

$(OUT)/$(PROGRAM)-fuzz: $(SOURCES) $(HEADERS) $(wildcard fuzz/*.c ../common/fuzz/*.[ch]) Makefile ../common/program.mk
	@mkdir -p $(OUT)
	$(CLANG) $(ASAN) -fsanitize=fuzzer -I. -I../common/fuzz -o $@ $(FUZZED) ../common/wire.c ../common/say.c \
		$(wildcard ../common/fuzz/*.c) fuzz/stubs.c $(FUZZ_LINK)

format-check:
	$(CLANG_FORMAT) --dry-run --Werror $(SOURCES) $(HEADERS)

clean:
	rm -rf $(OUT)

.PHONY: all test-asan test-fuzz format-check clean
