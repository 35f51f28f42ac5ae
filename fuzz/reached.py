"""The table of fuzz/coverage, from llvm-cov's report of every line.

  reached.py REPORT LIST [--open]

REPORT is what `llvm-cov show -show-branches=count -show-instantiations=false` prints. A source that is
compiled more than once (as float and as double, or a header in many files) counts once: a line is run and
a side of a branch taken if any of its builds does it. Conditions that the compiler decides are left out.

LIST (unreached.tsv) names lines and sides that nothing here can reach, with the reason; the second figures
are without them, the first ones and the bounds with them. An entry whose line is gone, or that is reached after all, is an error. --open prints
every other line and side that is not reached. Exit 1 on an error, or below a bound of BOUNDS."""
import collections
import os
import re
import sys

BOUNDS = {"ref": (98, 95), "fixed": (98, 95), "ref/oracle": (90, None), "ref/tool": (90, None)}
COLUMNS = ["file", "text", "which", "what", "reason"]

# key of a line: its number; of a side: (number, column, "true" or "false")
File = collections.namedtuple("File", "text lines sides")


def read_report(path, root):
    files, here = {}, None
    for row in open(path, errors="replace"):
        name = re.match(r"(/.*):$", row)
        line = re.match(r" *(\d+)\| *([\d.]+[kMGTPEZY]?)?\|(.*)", row)
        branch = re.match(r" *\| +Branch \((\d+):(\d+)\): \[True: (\S+), False: (\S+)\]", row)
        if name:
            here = files.setdefault(os.path.relpath(name.group(1), root), File({}, {}, {}))
        elif line:
            number = int(line.group(1))
            here.text[number] = squeezed(line.group(3))
            if line.group(2):
                here.lines[number] = here.lines.get(number, False) or line.group(2) != "0"
        elif branch:
            for side, count in (("true", branch.group(3)), ("false", branch.group(4))):
                key = (int(branch.group(1)), int(branch.group(2)), side)
                here.sides[key] = here.sides.get(key, False) or count != "0"
    return files


def squeezed(text):
    return " ".join(text.split())


def read_list(path):
    rows = [line.rstrip("\n").split("\t") for line in open(path)]
    return [dict(zip(COLUMNS, row)) for row in rows[1:]]


def key_of(entry, file):
    """The line or side an entry names: `which` of the lines with this text, and `what`: 'line', or the
    number of a condition in it and the side, as '2 true'. None: gone."""
    numbers = [n for n, text in sorted(file.text.items()) if text == squeezed(entry["text"])]
    which = int(entry["which"]) - 1
    if which >= len(numbers):
        return None
    number = numbers[which]
    if entry["what"] == "line":
        return number if number in file.lines else None
    condition, side = entry["what"].split()
    columns = sorted({key[1] for key in file.sides if key[0] == number})
    if int(condition) > len(columns):
        return None
    return number, columns[int(condition) - 1], side


def excused(entries, files, errors):
    """For each file the lines and sides that the list names."""
    found = collections.defaultdict(set)
    for entry in entries:
        file = files.get(entry["file"])
        key = key_of(entry, file) if file else None
        where = "%s: '%s', %s" % (entry["file"], entry["text"], entry["what"])
        if key is None:
            errors.append("listed as unreached, and gone: " + where)
        elif (file.lines if isinstance(key, int) else file.sides)[key]:
            errors.append("listed as unreached, and reached: " + where)
        else:
            found[entry["file"]].add(key)
    return found


def folder(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "ref" and parts[1] in ("oracle", "tool") else parts[0]


def percent(of, without=frozenset()):
    left = {key: hit for key, hit in of.items() if key not in without}
    return 100 * sum(left.values()) / len(left) if left else None


def shown(figure):
    return "-" if figure is None else "%.1f %%" % figure


def row(name, files, skip):
    lines = {(path, key): hit for path in files for key, hit in files[path].lines.items()}
    sides = {(path, key): hit for path in files for key, hit in files[path].sides.items()}
    named = {(path, key) for path in files for key in skip[path]}
    print("%-30s %6d %8s %8s   %6d %8s %8s" % (
        name, len(lines), shown(percent(lines)), shown(percent(lines, named)),
        len(sides), shown(percent(sides)), shown(percent(sides, named))))
    return percent(lines), percent(sides)


def print_open(files, skip):
    for path, file in sorted(files.items()):
        for number, hit in sorted(file.lines.items()):
            if not hit and number not in skip[path]:
                print("%s:%d: line: %s" % (path, number, file.text[number]))
        for key, hit in sorted(file.sides.items()):
            if not hit and key not in skip[path]:
                columns = sorted({k[1] for k in file.sides if k[0] == key[0]})
                print("%s:%d: %d %s: %s" % (path, key[0], columns.index(key[1]) + 1, key[2],
                                            file.text.get(key[0], "")))


def main(report, listed, *options):
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    files, errors = read_report(report, root), []
    skip = excused(read_list(listed), files, errors)
    if "--open" in options:
        print_open(files, skip)
        return 0
    print("%-30s %6s %8s %8s   %6s %8s %8s" % ("", "lines", "run", "without", "sides", "taken", "without"))
    for name, bounds in BOUNDS.items():
        figures = row(name, {p: f for p, f in files.items() if folder(p) == name}, skip)
        for what, figure, bound in zip(("lines run", "sides of branches taken"), figures, bounds):
            if bound is not None and (figure is None or figure < bound):
                errors.append("%s: %s: %s, not %d %%" % (name, what, shown(figure), bound))
    print()
    for path in sorted(files):
        row(path, {path: files[path]}, skip)
    for error in errors:
        print("FAIL " + error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
