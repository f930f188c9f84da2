#!/usr/bin/env python3
"""What the tests ran, out of gcov's counts: `make coverage` builds, runs and calls this.

Prints the share of lines and of branches, by module and in all, the files below the bound, and each
line that never ran with the reason that tests/uncovered.txt gives. Files that are compiled once for
each width of vectors count as one: a line ran if it ran in any width. Status 1 below the bound.
"""
import collections
import glob
import json
import subprocess
import sys

BOUND = 95.0  # percent of lines
MODULES = ("autograd", "model", "data", "train.c")


def counts(build):
    """{file: {line: (times, [times of a branch])}} of every object that has counts."""
    files = collections.defaultdict(dict)
    notes = [n for m in ("autograd", "model", "data", "train.gcno")
             for path in (f"{build}/{m}/**/*.gcno", f"{build}/{m}")
             for n in glob.glob(path, recursive=True) if n.endswith(".gcno")]
    text = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    for part in text.decode().splitlines():
        if not part.startswith("{"):
            continue
        for file in json.loads(part)["files"]:
            if file["file"].split("/")[0] in MODULES:
                for line in file["lines"]:
                    add(files[file["file"]], line)
    return files


def add(lines, line):
    """One function's, one width's, or one includer's count of a line to what is known of it."""
    branches = [b["count"] for b in line["branches"] if not b["throw"]]
    times, known = lines.get(line["line_number"], (0, []))
    if len(known) == len(branches):
        known = [a + b for a, b in zip(known, branches)]
    else:
        known = max(known, branches, key=lambda n: (sum(map(bool, n)), -len(n)))
    lines[line["line_number"]] = (times + line["count"], known)


def tally(files):
    """(lines, those that ran, branches, those taken)"""
    lines = [line for file in files for line in file.values()]
    branches = [times for _, taken in lines for times in taken]
    ran = sum(times > 0 for times, _ in lines)
    return (len(lines), ran, len(branches), sum(map(bool, branches)))


def show(name, t):
    print(f"{name:<28}{t[1]:>6} of {t[0]:>5} lines {percent(t[1], t[0]):6.2f} %"
          f"{t[3]:>7} of {t[2]:>5} branches {percent(t[3], t[2]):6.2f} %")


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def reasons(path):
    """[(file, part of a line, reason)]: a row each, split by " | "; a file's name may end early."""
    with open(path, encoding="utf-8") as rows:
        return [tuple(row.rstrip("\n").split(" | ")) for row in rows
                if row.strip() and not row.startswith("#")]


def list_uncovered(files, given):
    """Prints the lines that never ran; gives how many of them have no reason."""
    bare, used = 0, set()
    for name, lines in sorted(files.items()):
        with open(name, encoding="utf-8") as source:
            text = source.read().split("\n")
        for number in sorted(n for n, (times, _) in lines.items() if not times):
            line = text[number - 1]
            why = next((g for g in given if name.startswith(g[0]) and g[1] in line), None)
            used.add(why)
            bare += why is None
            print(f"{name}:{number}: {line.strip()}\n"
                  f"    {why[2] if why else 'no reason is given in tests/uncovered.txt'}")
    for row in given:
        if row not in used:
            print(f"tests/uncovered.txt: {row[0]} | {row[1]}: such a line ran, or is no more")
    return bare


def main(build):
    files = counts(build)
    print("lines that never ran")
    bare = list_uncovered(files, reasons("tests/uncovered.txt"))
    print(f"{bare} of them without a reason\n")
    tallies = [(n, tally([f])) for n, f in sorted(files.items())]
    below = [(n, t) for n, t in tallies if percent(t[1], t[0]) < BOUND]
    if below:
        print(f"files below {BOUND:.0f} % of lines")
    for name, t in below:
        show(name, t)
    for module in MODULES:
        show(module, tally([f for n, f in files.items() if n.split("/")[0] == module]))
    # What a bound is worth having on: the program's own main stands beside it.
    everything = tally([f for n, f in files.items() if n != "train.c"])
    show("autograd, model and data", everything)
    return percent(everything[1], everything[0]) < BOUND


sys.exit(main(sys.argv[1]))
