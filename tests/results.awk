# A table of Markdown from rows of name=value (results.sh makes them): a line for each value of
# `rows` (names, separated by blanks). `figures` are name:digits:heading:range, separated by
# semicolons; one without a heading has a column for each value of `columns`, before all others. Lines
# and columns are in the order in which they first appear. A cell says of its seeds the median (min-max). If `base`
# names a line's first value, it says the mean of that line, and of the others the mean difference
# from it, seed by seed, with a 95 % interval (Student's t); but not of a figure with a range.

function shown(x, digits,    text) {
    if (digits == "MiB") return sprintf("%.0f", x / 1048576)
    if (digits != ",") return sprintf("%." digits "f", x)
    text = sprintf("%.0f", x)
    while (match(text, /[0-9][0-9][0-9][0-9]($|,)/))
        text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
    return text
}

# Sorts value[1..n] by insertion: a cell has a few seeds.
function sort(value, n,    i, k, x) {
    for (i = 2; i <= n; i++) {
        x = value[i]
        for (k = i - 1; k >= 1 && value[k] > x; k--) value[k + 1] = value[k]
        value[k + 1] = x
    }
}

function median_and_range(text, digits,    value, n, low, high, i) {
    n = split(text, value, " ")
    for (i = 1; i <= n; i++) value[i] += 0
    if (!n) return ""
    sort(value, n)
    if (value[1] == 0 && value[n] == 0) return "0"
    low = shown(value[1], digits); high = shown(value[n], digits)
    if (low == high) return low
    return shown((value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2, digits) \
           " (" low (value[1] < 0 ? " to " : "-") high ")"
}

# Of value[seed] - other[seed], where both are there.
function difference(r, c, digits,    s, n, d, sum, squares, mean, half) {
    for (s in seed)
        if ((r, c, s) in at && (base_row, c, s) in at) {
            d = at[r, c, s] - (r == base_row ? 0 : at[base_row, c, s])
            n++; sum += d; squares += d * d
        }
    if (!n) return ""
    mean = sum / n
    if (r == base_row) return shown(mean, digits)
    if (n < 2 || n > 10) return sprintf("%+." digits "f, %d of the seeds", mean, n)
    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262", t, " ")
    half = t[n - 1] * sqrt((squares - n * mean * mean) / (n - 1) / n)
    return sprintf("%+." digits "f ± %." digits "f%s", mean, half, n < seeds ? ", " n " seeds" : "")
}

function add(r, c, x) {
    if (x == "" || x == "null") return
    if (!(r in row)) { row[r]; row_of[++row_count] = r }
    if (!(c in column)) { column[c]; column_of[++column_count] = c }
    values[r, c] = values[r, c] " " x
    at[r, c, field["seed"]] = x
    if (!(field["seed"] in seed)) { seed[field["seed"]]; seeds++ }
    if (base != "" && base_row == "" && field[key[1]] == base) base_row = r
}

BEGIN {
    FS = "\t"
    keys = split(rows, key, " ")
    parts = split(figures, part, ";")
}

{
    split("", field)
    for (i = 1; i <= NF; i++) {
        equals = index($i, "=")
        if (equals) field[substr($i, 1, equals - 1)] = substr($i, equals + 1)
    }
    r = ""
    for (k = 1; k <= keys; k++) {
        name = field[key[k]]
        if (key[k] == "arm" && name !~ /`/) name = "`" name "`"
        r = r (k > 1 ? " | " : "") name
    }
    for (k = 1; k <= parts; k++) {
        n = split(part[k], word, ":")
        if (word[3] != "") headed[word[3]]
        c = word[3] != "" ? word[3] : columns == "arm" ? "`" field["arm"] "`" : field[columns]
        digits[c] = word[2]
        ranged[c] = base == "" || n > 3
        add(r, c, field[word[1]])
    }
}

END {
    for (pass = 0; pass < 2; pass++)
        for (k = 1; k <= column_count; k++)
            if ((column_of[k] in headed) == pass) ordered[++placed] = column_of[k]
    line = "|"; rule = "|"
    for (k = 1; k <= keys; k++) {
        name = key[k] == "arm" && columns != "" && columns != "where" ? columns : key[k]
        line = line " " name " |"; rule = rule "---|"
    }
    for (k = 1; k <= column_count; k++) { line = line " " ordered[k] " |"; rule = rule "---|" }
    print line; print rule
    for (i = 1; i <= row_count; i++) {
        line = "| " row_of[i] " |"
        for (k = 1; k <= column_count; k++) {
            c = ordered[k]
            text = ranged[c] ? median_and_range(values[row_of[i], c], digits[c]) \
                              : difference(row_of[i], c, digits[c])
            line = line (text == "" ? "" : " " text) " |"
        }
        print line
    }
}
