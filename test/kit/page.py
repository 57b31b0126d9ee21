# page.py PAGE RUN.json...: are the numbers on a page of jackdaw-report those of the figures that it was made from, the
# first RUN.json the one that it shows in full?  And is the page whole, by itself, and readable without colours?
# Prints what is wrong; status 1 if anything is.
import html.parser
import json
import re
import sys

VOID = {"meta", "link", "br", "hr", "img", "input"}
faults = []


def check(good, text):
    if not good:
        faults.append(text)


def number(value):
    return float(value) if isinstance(value, str) and "." in value else int(value)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.data, self.rows, self.charts, self.bars = [], set(), {}, {}, [], []
        self.row = self.cells = self.title = None
        self.tables, self.names = {}, []

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        check("id" not in a or a["id"] not in self.ids, "two parts of the page have the id %s" % a.get("id"))
        self.ids.add(a.get("id"))
        check(tag not in {"script", "iframe", "object", "img"}, "there is a " + tag)
        for name, value in attributes:
            check(not re.search(r"https?:|//", value or "") or name == "content", "%s of %s is elsewhere" % (name, tag))
            check(not name.startswith("on"), "%s has code" % tag)
        if tag == "tr":
            self.row = self.rows.setdefault(a.get("id", "row at line %d" % self.getpos()[0]), {})
            self.cells = []
        elif tag == "data" and "id" in a:
            self.data[a["id"]] = number(a["value"])
        elif tag == "data":
            self.row[a["class"]] = number(a["value"])
        elif tag == "svg" and a.get("role") == "img":
            self.charts.append({"names": a.get("aria-labelledby", "").split(), "has": []})
        elif tag == "rect" and a.get("class") == "bar" and "figure" in self.open:
            self.bars.append([a, ""])
        if self.charts and tag in {"title", "desc"} and "svg" in self.open and "id" in a:
            self.charts[-1]["has"].append(a["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        check(self.open and self.open[-1] == tag, "line %d: %s ends inside of %s" % (self.getpos()[0], tag, self.open[-1:]))
        if self.open:
            self.open.pop()
        if tag in {"td", "th"} and self.cells is not None:
            self.cells.append("")
        if tag == "tr":
            self.names.append(self.cells)

    def handle_data(self, text):
        if self.open[-1:] == ["title"] and self.open[-2:-1] == ["rect"] and self.bars:
            self.bars[-1][1] += text
        if self.cells is not None and {"td", "th"} & set(self.open):
            if not self.cells or self.cells[-1] == "":
                self.cells[-1:] = [""]
            self.cells[-1] += text


def total(run, name):
    """Over all threads; a maximum is none of the names that a page has."""
    return int(run["job"][name]["sum"])


def check_top(page, run):
    check(page.data.get("executed") == total(run, "executed"), "the number of tasks differs")
    check(page.data.get("nranks") == run["run"]["ranks"], "the number of ranks differs")
    check(page.data.get("nworkers") == run["run"]["workers"], "the number of workers differs")
    check(page.data.get("stolen") == total(run, "stolen_in"), "the number of stolen tasks differs")
    check(abs(page.data.get("wall", -1) - run["run"]["wall_seconds"]) < 1e-6, "the time differs")
    work = sum(int(worker["ns_work"]) for rank in run["ranks"] for worker in rank["workers"])
    check(page.data.get("work") == work, "the workers' time in tasks differs")
    for setting in run["run"]["knobs"]:
        check(any(setting["name"] in cells[0] for cells in page.names if cells), "the page lacks " + setting["name"])


def check_ranks(page, run):
    sums = {}
    for name, row in page.rows.items():
        place = re.fullmatch(r"rank-(\d+)(?:-(\d+))?", name)
        if not place:
            continue
        rank = run["ranks"][int(place[1])]
        if place[2]:
            t = int(place[2])
            of = rank["workers"][t] if t < len(rank["workers"]) else rank["communication"]
        else:
            of = rank["all"]
            for counter in row:
                sums[counter] = sums.get(counter, 0) + row[counter]
        if len(run["ranks"]) <= 256:
            for counter in row:
                check(row[counter] == int(of[counter]), "%s of %s differs" % (counter, name))
    check(set(sums) >= {"executed", "stolen_in", "ns_work", "ns_idle"}, "the table of ranks is not there")
    for counter, value in sums.items():
        check(value == total(run, counter), "the ranks do not add up in " + counter)
        check(page.rows["ranks-all"].get(counter) == value, "the line of all ranks differs in " + counter)


def check_bars(page, run):
    """The widths of a rank's bars are as its parts of time."""
    kinds = {"tasks": "ns_work", "looking for work": "ns_steal", "network": "ns_progress", "detector": "ns_detect",
             "asleep or waiting": "ns_idle"}
    seen = 0
    for rank in run["ranks"]:
        widths, parts = {}, {}
        for bar, tip in page.bars:
            of = re.fullmatch(r"rank %d: \S+ (.*)" % rank["rank"], tip)
            if of:
                widths[of[1]] = float(bar["width"])
        for kind, counter in kinds.items():
            parts[kind] = sum(int(worker[counter]) for worker in rank["workers"])
        for kind, width in widths.items():
            seen += 1
            share = width / sum(widths.values())
            check(abs(share - parts[kind] / sum(parts.values())) < 0.002, "rank %d: the bar of %s" % (rank["rank"], kind))
    check(seen or len(run["ranks"]) > 64, "there are no bars of ranks")


def check_trace(page, run):
    """If all of the trace is there it has each task and each steal."""
    if "trace-tasks" not in page.data or "lost" in page.data:
        return
    check(page.data["trace-tasks"] == total(run, "stolen_in"), "the trace has another number of stolen tasks")
    check(page.data["trace-steals"] == total(run, "steals"), "the trace has another number of steals")
    pairs = [row for name, row in page.rows.items() if name.startswith("steals-")]
    check(len(pairs) >= 100 or sum(row["tasks"] for row in pairs) == total(run, "stolen_in"), "the matrix does not add up")
    classes = sum(row.get("class", 0) for row in page.rows.values())
    check(total(run, "suspended") or classes == total(run, "executed"), "the histograms do not have each task once")


def check_runs(page, runs):
    if len(runs) == 1:
        check("point-1" not in page.ids, "there is a scaling plot of one run")
        return
    rate = {}
    for i, run in enumerate(runs):
        row = page.rows["run-%d" % i]
        check(row["executed"] == total(run, "executed"), "run %d: the number of tasks differs" % i)
        check(abs(row["wall"] - 1e9 * run["run"]["wall_seconds"]) < 1, "run %d: its time differs" % i)
        rate.setdefault(run["run"]["ranks"], []).append(total(run, "executed") / run["run"]["wall_seconds"])
    least = min(rate)
    middle = {n: (sorted(r)[(len(r) - 1) // 2] + sorted(r)[len(r) // 2]) / 2 for n, r in rate.items()}
    for n in rate:
        row = page.rows["point-%d" % n]
        want = middle[n] / middle[least] * least / n
        check(row["runs"] == len(rate[n]), "%d ranks: the number of runs" % n)
        check(abs(row["efficiency"] - want) < 1e-5, "%d ranks: efficiency %s, not %s" % (n, row["efficiency"], want))


with open(sys.argv[1]) as f:
    text = f.read()
runs = []
for name in sys.argv[2:]:
    with open(name) as f:
        runs.append(json.load(f))
page = Page()
page.feed(text)
page.close()
check(not page.open, "left open: " + ", ".join(page.open))
check(len(text) < 1000000, "the page has %d bytes" % len(text))
check(page.charts, "there is no picture")
for chart in page.charts:
    check(len(chart["names"]) == 2 and chart["names"] == chart["has"], "a picture lacks its title or description")
check(text.count("<details>") > len(page.charts), "a picture lacks its table")
check_top(page, runs[0])
check_ranks(page, runs[0])
check_bars(page, runs[0])
check_trace(page, runs[0])
check_runs(page, runs)
print("\n".join(faults[:20]))
sys.exit(1 if faults else 0)
