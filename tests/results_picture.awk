# A picture (SVG) from rows of name=value with a `curve`, which results_rows.awk makes: for each
# `where` a panel with the loss of each arm less that of `base`, mean over the seeds, by step. A
# dashed line is an arm whose MLP is not 4 D wide. Colours are those of model/arms.c, which is read
# first.

function x_of(p, step) { return left(p) + WIDE * step / last[p] }
function y_of(p, d) { return top(p) + HIGH * (MOST - d) / (2 * MOST) }
function left(p) { return 56 + (p - 1) % 2 * (WIDE + 66) }
function top(p) { return 56 + int((p - 1) / 2) * (HIGH + 62) }
function text(x, y, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, what
}
function rule(x1, y1, x2, y2, style) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style
}
function stroke(l) {
    return "stroke=\"" colour[arm_of[l]] "\"" (wider[l] ? " stroke-dasharray=\"4 3\"" : "")
}

function frame(p,    d, k) {
    text(left(p), top(p) - 10, "start", where_of[p])
    for (d = -MOST; d <= MOST + 1e-9; d += MOST / 3) {
        rule(left(p), y_of(p, d), left(p) + WIDE, y_of(p, d),
             "class=\"" (d * d < 1e-9 ? "base" : "grid") "\"")
        text(left(p) - 6, y_of(p, d) + 4, "end", d * d < 1e-9 ? base : sprintf("%+.2f", d))
    }
    for (k = 0; k <= 2; k++)
        text(x_of(p, last[p] * k / 2), top(p) + HIGH + 18, k == 2 ? "end" : "middle",
             last[p] * k / 2 (k == 2 ? " steps" : ""))
}

# One line: points beyond the frame are left out, and the line is drawn anew after them.
function draw(p, l,    i, step, s, n, d, path, pen) {
    pen = "M"
    for (i = 1; i <= steps[p]; i++) {
        step = step_of[p, i]; n = d = 0
        for (s in seed)
            if ((p, l, step, s) in loss && (p, 1, step, s) in loss) {
                n++; d += loss[p, l, step, s] - loss[p, 1, step, s]
            }
        if (!n || d / n > MOST || d / n < -MOST || step < last[p] / 20) { pen = "M"; continue }
        path = path sprintf("%s%.1f %.1f", pen, x_of(p, step), y_of(p, d / n)); pen = "L"
    }
    printf "<path d=\"%s\" fill=\"none\" stroke-width=\"1.6\" %s/>\n", path, stroke(l)
}

BEGIN { FS = "\t"; WIDE = 300; HIGH = 190; MOST = 0.15 }

FILENAME ~ /arms\.c$/ {
    if (match($0, /^    {"[a-z-]+"/)) {
        name = substr($0, 7, RLENGTH - 7)
        if (match($0, /0x[0-9A-F]+/)) colour[name] = "#" substr($0, RSTART + 2, 6)
    }
    next
}

!/\tcurve=/ { next }

{
    for (i = 1; i <= NF; i++) {
        equals = index($i, "=")
        field[substr($i, 1, equals - 1)] = substr($i, equals + 1)
    }
    w = field["where"]; l = field["arm"] "\t" field["MLP"]
    if (!(w in panel)) { panel[w] = ++panels; where_of[panels] = w }
    if (!(l in line)) {
        line[l] = ++lines; arm_of[lines] = field["arm"]; wider[lines] = field["MLP"] != "4 D"
    }
    p = panel[w]; step = field["step"] + 0
    if (!((p, step) in known)) { known[p, step]; step_of[p, ++steps[p]] = step }
    if (step > last[p]) last[p] = step
    loss[p, line[l], step, field["seed"]] = field["curve"]
    seed[field["seed"]]
}

END {
    height = top(panels) + HIGH + 70; width = left(2) + WIDE + 16
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
        width, height
    print "<title>Held-out loss of each arm less that of " base "</title>\n<style>"
    print "text { font: 12px system-ui, sans-serif; fill: #333 } .back { fill: #fff }"
    print ".grid { stroke: #ddd } .base { stroke: #333 }"
    print "@media (prefers-color-scheme: dark) { text { fill: #ddd } .back { fill: #16181d }"
    print ".grid { stroke: #333 } .base { stroke: #ddd } }\n</style>"
    printf "<rect class=\"back\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", width, height
    text(16, 20, "start",
         "held-out loss less that of " base ", nats per character; below the line is better")
    for (p = 1; p <= panels; p++) {
        frame(p)
        for (l = 2; l <= lines; l++) draw(p, l)
    }
    for (l = 2; l <= lines; l++)
        if (!wider[l]) {
            rule(60 + (l - 2) * 74, height - 22, 84 + (l - 2) * 74, height - 22,
                 "stroke-width=\"2\" " stroke(l))
            text(89 + (l - 2) * 74, height - 18, "start", arm_of[l])
        }
    text(width - 16, height - 18, "end", "dashed: at the parameters of " base)
    print "</svg>"
}
