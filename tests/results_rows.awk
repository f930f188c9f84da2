# Rows of name=value of one run, from its symmetry.csv, metrics.csv and summary.json in this order,
# each with `columns` at its end: a row for each arm and measured step, whose loss is `curve`, and a
# row with the final figures of each arm. There symmetry, the median over all heads, is that of the last
# step; symmetry_at_400 is that of the first measured step from 400 on.

function median(value, n,    i, k, x) {
    for (i = 2; i <= n; i++) {
        x = value[i]
        for (k = i - 1; k >= 1 && value[k] > x; k--) value[k + 1] = value[k]
        value[k + 1] = x
    }
    return n ? (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2 : "null"
}

# The heads of a step stand in rows that follow each other.
function close_step() {
    if (!heads) return
    last[arm] = median(head, heads)
    each = step - step % 400
    if (!((arm, each) in met)) at[arm] = at[arm] "\tsymmetry_at_" each "=" last[arm]
    met[arm, each]
    heads = 0
}

BEGIN { gsub(";", "\t", columns) }
FNR == 1 { file++; close_step(); next }
file == 1 && (arm != $2 || step != $1) { close_step(); arm = $2; step = $1 }
file == 1 { head[++heads] = $5 + 0 }
file == 2 { print "arm=" $2 "\tstep=" $1 "\tcurve=" $3 "\t" columns }
file == 3 && /^    {"name": / {
    gsub(/[ {"]/, ""); gsub(":", "="); sub("name=", "arm="); arm = substr($1, 5); gsub(",", "\t")
    print $0 at[arm] "\tsymmetry=" last[arm] "\t" columns
}
