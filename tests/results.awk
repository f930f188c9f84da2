# A table of Markdown from rows of name=value (results.sh makes them): a line for each value of
# `rows`, a column for each value of `columns`, and in a cell the median of `figure` (min-max) of the
# seeds that it has there. Rows and columns are in the order in which they first appear.

function shown(x) { return sprintf("%." digits "f", x) }

# Sorts value[1..n] by insertion: a cell has a few seeds.
function sort(value, n,    i, k, x) {
    for (i = 2; i <= n; i++) {
        x = value[i]
        for (k = i - 1; k >= 1 && value[k] > x; k--) value[k + 1] = value[k]
        value[k + 1] = x
    }
}

function cell(text,    value, n, low, high, i) {
    n = split(text, value, " ")
    if (!n) return ""
    for (i = 1; i <= n; i++) value[i] += 0
    sort(value, n)
    low = shown(value[1]); high = shown(value[n])
    if (low == high) return low
    return shown((value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2) " (" low "-" high ")"
}

function quoted(name) { return rows == "arm" && name !~ /`/ ? "`" name "`" : name }

{
    split("", field)
    for (i = 1; i <= NF; i++) {
        at = index($i, "=")
        if (at) field[substr($i, 1, at - 1)] = substr($i, at + 1)
    }
    r = field[rows]; c = field[columns]
    if (!(r in row)) { row[r]; row_of[++row_count] = r }
    if (!(c in column)) { column[c]; column_of[++column_count] = c }
    if (field[figure] != "") values[r, c] = values[r, c] " " field[figure]
}

END {
    line = "| " columns " |"; rule = "|---|"
    for (k = 1; k <= column_count; k++) { line = line " " column_of[k] " |"; rule = rule "---|" }
    print line; print rule
    for (r = 1; r <= row_count; r++) {
        line = "| " quoted(row_of[r]) " |"
        for (k = 1; k <= column_count; k++) {
            text = cell(values[row_of[r], column_of[k]])
            line = line (text == "" ? "" : " " text) " |"
        }
        print line
    }
}
