# How much can be trusted, checked: slower than `make test`, and some need a tool of Debian's.

# ---- those ---------------------------------------------------------------------------------------
