# make recipes    does what each page of tests/recipes/ says, in a copy of the tree under build/

# make's own variables are not for the makes that a recipe runs; what was chosen on its line is.
recipes: $(BUILD)/train $(BUILD)/tests/run
	@env -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL -u BUILD MAKEFLAGS=-j2 CC='$(CC)' CFLAGS='$(CFLAGS)' \
	  OPT='$(OPT)' OPENMP='$(OPENMP)' SANITIZE='$(SANITIZE)' tests/recipes/check.sh $(BUILD) $(RECIPE)

.PHONY: recipes
