# make playground  out/playground.html: the heads, trained in a browser by this C as WebAssembly.
#                  The next `make` then puts a module into ./train, and its reports answer sentences

# Debian: apt-get install clang lld wasi-libc libclang-rt-14-dev-wasm32
WEBCC  ?= clang
WEB     = model/web
WEBOUT  = $(BUILD)/web
# Two modules: web.wasm trains for the playground, answer.wasm has a saved model for a report. Both
# get the core; the linker keeps what the exports need.
WEB_C   = $(filter-out $(WIDE),$(wildcard autograd/*.c autograd/simd/*.c data/*.c model/*.c)) \
          $(wildcard model/train/*.c) model/save/json.c model/save/memory.c \
          model/view/inspect.c model/view/typed.c $(WEB)/exchange.c
TRAINS  = model/view/report/m_by_role.c $(WEB)/web.c
ANSWERS = $(addprefix model/save/,checkpoint.c description.c safetensors.c) \
          model/view/saved_model.c model/view/sample.c $(WEB)/answer.c
WEB_O   = $(WEB_C:%.c=$(WEBOUT)/%.o) $(WIDE:%.c=$(WEBOUT)/%.o)
WEB_ALL = $(WEB_O) $(TRAINS:%.c=$(WEBOUT)/%.o) $(ANSWERS:%.c=$(WEBOUT)/%.o)
WEBFLAGS = --target=wasm32-wasi -msimd128 -std=c11 -D_POSIX_C_SOURCE=200809L \
           -D_WASI_EMULATED_SIGNAL -I. -I$(BUILD) -fno-math-errno -fno-trapping-math \
           -ffp-contract=off -ffunction-sections $(filter -Werror,$(CFLAGS)) \
           $(WARNINGS) -Wno-unknown-pragmas

# What multiplies is compiled for speed, all else for size, which costs no time. Its 4 lanes are
# vec.h's plain ones, so the bits are those of QKV_KERNELS=plain.
$(WEBOUT)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(RUN)$(WEBCC) $(WEBFLAGS) $(if $(filter $(WIDE),$<),-O3 -DKERNELS=plain,-Oz) \
	  $(if $(filter %gemm.c %kernels.c,$<),-ffp-contract=on) -MMD -MP -c $< -o $@

# The exports are the functions of web.h or of answer.h, and two of exchange.h. Linked without -O:
# with it clang 14 calls wasm-opt, which fails on vectors.
EXPORTS = $(shell sed -n 's/^[a-z].*[ *]\($*_[a-z]*\)[^a-z].*/\1/p' $(WEB)/$*.h) \
          exchange_room exchange_file
$(WEBOUT)/web.wasm: $(WEB_O) $(TRAINS:%.c=$(WEBOUT)/%.o)
$(WEBOUT)/answer.wasm: $(WEB_O) $(ANSWERS:%.c=$(WEBOUT)/%.o)
$(WEBOUT)/%.wasm: $(WEB)/web.mk
	$(RUN)$(WEBCC) --target=wasm32-wasi -mexec-model=reactor -Wl,-z,stack-size=1048576 \
	  -Wl,--stack-first -Wl,--gc-sections -Wl,--strip-all -Wl,--max-memory=268435456 \
	  $(EXPORTS:%=-Wl,--export=%) $(sort $(filter %.o,$^)) -o $@ -lm -lwasi-emulated-signal

# The page: its parts in their places in play.html. What the browser unpacks is base64 of gzip.
WEB_FIRST = $(WEB)/wasm.js $(WEB)/workers.js
WEB_JS  = $(patsubst %,$(PAGE)/%.js,data figure chart focus controls map table sentence curves) \
          $(patsubst %,$(WEB)/%.js,training pictures typed settings theorem tour player play)
PACKED  = data/english.conllu data/stories.conllu data/sentences.txt
out/playground.html: $(WEB)/play.html $(PAGE)/report.css $(WEB)/play.css $(WEB_FIRST) $(WEB)/worker.js \
                     $(WEB_JS) $(WEB)/page.awk $(WEB)/notices.txt \
                     $(WEBOUT)/web.wasm $(PACKED) $(WEB)/web.mk $(BUILD)/version.h
	@mkdir -p $(@D)
	$(RUN)awk -v css='$(PAGE)/report.css $(WEB)/play.css' -v early='$(WEB_FIRST)' -v script='$(WEB_JS)' \
	  -v worker=$(WEB)/worker.js -v first=$(WEBOUT)/web.wasm -v packed='$(PACKED)' -v notices=$(WEB)/notices.txt -v version='$(VERSION)' \
	  -f $(WEB)/page.awk $(WEB)/play.html >$@.new && mv $@.new $@

WEB_TRY = echo 'int main(void) { return 0; }' | \
          $(WEBCC) --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null
playground:
	@if $(WEB_TRY); then $(MAKE) --no-print-directory out/playground.html $(WEBOUT)/answer.wasm && \
	  echo "open out/playground.html ($$(wc -c <out/playground.html) bytes)"; else \
	  echo 'make playground: $(WEBCC) cannot link WebAssembly here; Debian:' \
	       'apt-get install clang lld wasi-libc libclang-rt-14-dev-wasm32'; exit 1; fi

.PHONY: playground
-include $(WEB_ALL:.o=.d)
