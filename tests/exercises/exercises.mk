# Exercises, in tests/exercises/: a page, a file to fill in, and a check that says what is wrong.
#
# make exercise-01       checks exercise 1: says what is wrong, or that it holds and what is next
# make exercises         lists which exercises hold
# make watch             checks each exercise as soon as you save it, until Ctrl-C
# make exercises-check   tests the checks: given files fail, solutions hold, mistakes are named

EXERCISES = $(patsubst tests/exercises/%.c,%,$(sort $(wildcard tests/exercises/[0-9]*.c)))
EXERCISE_OBJECTS = $(OBJECTS) \
  $(patsubst %,$(BUILD)/tests/%.o,exercises/check exercises/cycle setup layer test)
EXERCISE_CHECKS = $(EXERCISES:%=$(BUILD)/tests/exercises/checks/%.o)
EXERCISE_SH = BUILD=$(BUILD) sh tests/exercises/exercises.sh

$(BUILD)/exercises/%: $(BUILD)/tests/exercises/%.o $(BUILD)/tests/exercises/checks/%.o \
                      $(EXERCISE_OBJECTS)
	@mkdir -p $(@D)
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

$(BUILD)/exercises/solutions/%: $(BUILD)/tests/exercises/solutions/%.o \
                                $(BUILD)/tests/exercises/checks/%.o $(EXERCISE_OBJECTS)
	@mkdir -p $(@D)
	$(RUN)$(CC) $(FLAGS) $^ -o $@ $(LIBS)

define exercise
.PHONY: exercise-$(firstword $(subst _, ,$(1)))
exercise-$(firstword $(subst _, ,$(1))): $(BUILD)/exercises/$(1)
	@$(EXERCISE_SH) one $(1)
endef
$(foreach e,$(EXERCISES),$(eval $(call exercise,$(e))))

# An exercise that does not compile is listed as such; the others are still shown.
exercises: $(EXERCISE_OBJECTS) $(EXERCISE_CHECKS)
	@$(MAKE) -k $(EXERCISES:%=$(BUILD)/exercises/%) >$(BUILD)/exercises.log 2>&1 || :
	@$(EXERCISE_SH) list

# exec, so that Ctrl-C reaches watch itself and make waits until it has tidied up.
watch: $(EXERCISE_OBJECTS) $(EXERCISE_CHECKS)
	@$(MAKE) -k $(EXERCISES:%=$(BUILD)/exercises/%) >$(BUILD)/exercises.log 2>&1 || :
	@exec env COMPILE='$(CC) $(FLAGS)' LINKED='$(EXERCISE_OBJECTS)' $(EXERCISE_SH) watch

exercises-check: $(EXERCISES:%=$(BUILD)/exercises/%) $(EXERCISES:%=$(BUILD)/exercises/solutions/%)
	@COMPILE='$(CC) $(FLAGS)' LINKED='$(EXERCISE_OBJECTS)' $(EXERCISE_SH) prove

.PHONY: exercises watch exercises-check
.SECONDARY: $(foreach d,/ /checks/ /solutions/,$(EXERCISES:%=$(BUILD)/tests/exercises$(d)%.o))
-include $(wildcard $(BUILD)/tests/exercises/*.d $(BUILD)/tests/exercises/*/*.d)
