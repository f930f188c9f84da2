# Sourced by the scripts that end in "N passed, N failed".
passed=0
failed=0

# count STATUS SENTENCE: one more that passed; or failed, and is named.
count() {
    if (($1 == 0)); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "  failed: $2"
    fi
}

# count_tests LOG: what a run of the tests came to, in $verdict. One that found no test failed.
count_tests() {
    local passing failing
    verdict=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -n 1 || true)
    [[ $verdict != "0 passed, 0 failed" ]] || grep -q '^skipped' "$1" || verdict=
    [[ $verdict ]] || { verdict="0 passed, 1 failed"; tail -n 3 "$1"; }
    read -r passing _ failing _ <<<"$verdict"
    passed=$((passed + passing))
    failed=$((failed + failing))
}

# The last line, and what the script ends with.
counted() {
    echo "$passed passed, $failed failed"
    ((failed == 0))
}

# nothing_without PACKAGES: ends a script that can do none of its work.
nothing_without() {
    echo "skipped: needs $1"
    counted
    exit
}
