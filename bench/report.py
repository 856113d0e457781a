"""Turns the results of measure.py into the page docs/benchmarks.md."""
import re
import statistics
import textwrap

COLUMNS_MAX = 110  # of a line of prose: the limit of tests/shape.py for Markdown
RESTART_PROMISES = 1_000_000  # A restart with fewer says nothing about the target.

HEAD = """# Benchmarks

Written by `scripts/bench` on {date} at commit {commit}; do not edit. {cores} cores, {memory_gib} GiB of memory,
Linux {kernel}, {file_system}, {compiler}. Absolute figures differ from machine to machine and from hour to hour:
the ratios are what counts. Everything compared was measured in turns, in one run; figures are medians over the
rounds ({rounds} of {seconds:g} s each). A run with one answer that was not expected, or missing, is void and not
counted. Load average of the machine before the run: {load}; well above 0, something else ran too and the figures
say little.

- **ceiling**: a bare epoll loop that answers without looking (`bench/ceiling.cpp`).
- **peer**: nginx + Lua + Redis with `appendfsync always`, the usual design at the same durability (`bench/peer/`).
- **purchase**: Floodgate, `202` sent only after the promise is on disk. Every request is another buyer's.
- **already_ordered**, **sold_out**: Floodgate refusing.
- The crowd (`bench/crowd.cpp`) is one thread on the same machine, over keep-alive connections, closed loop.
"""


CLUSTER = """One Redis (`appendfsync always`), one MariaDB (`innodb_flush_log_at_trx_commit=1`) and the
nodes share the cores with the crowd and, in turns, with the peer. **node**: one node. **two_nodes**: two nodes,
half of the crowd at each; on two cores a second node costs more than it brings.
"""


SLOW = """{idle:,} silent connections, {unread:,} clients that ask for pages of `/rounds` and read nothing,
{sockets:,} WebSockets, from addresses of their own, all held by one process on the same cores. **purchase**:
without them. **purchase_beside**: with them. Memory is the server's own (resident); TCP is what the kernel of the
whole machine keeps.
"""


MONEY = """Pay, cancel and refund through the API at 64 connections. **gathered**: as it is, all moves that wait
share a commit. **single**: the same server with one thread for moves and one for payments, so that each move
has a transaction of its own. **mariadb**: gathered, one node over MariaDB. In process, 64 threads move
orders, gathered and with a transaction each, on MariaDB as many at a time as there are connections; with all
orders in one sale, and in 20. `pay_bench` checks a message that says "paid", from the bytes of its body to
the verdict.

**_slow_disk**, and the second table in process: the same, with syncs that take 2 ms (bench/slow_sync.cpp), as on a
disk that makes some hundreds of transactions a second. On the disk of the other figures a sync is much
faster, so that a transaction for each move costs little, and gathering brings less.
"""


def usable(results, what, connections, field):
    """The median of a figure over the rounds that count; None without any."""
    values = [row[field] for row in results.get("purchases", [])
              if (row["what"], row["connections"]) == (what, connections) and not row["void"]]
    return statistics.median(values) if values else None


def void_runs(results, connections, *names):
    return sum(bool(row["void"]) for row in results.get("purchases", [])
               if row["connections"] == connections and row["what"] in names)


def ratio(results, connections, what, of, field="rate"):
    upper, lower = (usable(results, name, connections, field) for name in (what, of))
    return upper / lower if upper is not None and lower else None


def in_process(results, program, name, field):
    """A figure of an in-process benchmark, by a pattern for its name; the worst of those that match."""
    values = [row[field] for row in results.get("in_process", [])
              if row["program"] == program and field in row and re.search(name, row["run_name"])]
    return min(values) if values else None


def targets(results):
    """(what, at least or at most, the bound, measured or None, how to print it, void runs)"""
    rows = []
    for connections, ceiling, peer in ((256, 0.5, 4.0), (64, 0.35, 2.8)):
        at = f", {connections} connections"
        rows += [
            ("durable purchases / ceiling" + at, ">=", ceiling,
             ratio(results, connections, "purchase", "ceiling"), ".2f",
             void_runs(results, connections, "purchase", "ceiling")),
            ("durable purchases / peer" + at, ">=", peer,
             ratio(results, connections, "purchase", "peer"), ".2f",
             void_runs(results, connections, "purchase", "peer")),
            ("purchases with 100,000 deadlines and 1,000 sockets / without" + at, ">=", 0.95,
             ratio(results, connections, "purchase_laden", "purchase"), ".2f",
             void_runs(results, connections, "purchase_laden", "purchase")),
            ("p99 of purchases / the peer's p99" + at, "<=", 0.4,
             ratio(results, connections, "purchase", "peer", "p99_ms"), ".2f",
             void_runs(results, connections, "purchase", "peer")),
            ("refusals, sold out / ceiling" + at, ">=", 0.7,
             ratio(results, connections, "sold_out", "ceiling"), ".2f",
             void_runs(results, connections, "sold_out", "ceiling")),
            ("refusals, already ordered / ceiling" + at, ">=", 0.7,
             ratio(results, connections, "already_ordered", "ceiling"), ".2f",
             void_runs(results, connections, "already_ordered", "ceiling")),
        ]
    restart = results.get("restart")
    full = restart and not restart["void"] and restart["queued"] >= RESTART_PROMISES
    rows += [
        ("gate decisions in process, one core, per second", ">=", 5_000_000,
         in_process(results, "gate_bench", "decide|accept", "items_per_second"), ",.0f", 0),
        ("clerk into SQLite / a hand-written bulk insert", ">=", 0.6,
         in_process(results, "ledger_bench", "enter_against_hand_written", "ratio"), ".2f", 0),
        (f"restart with {RESTART_PROMISES:,} promises in the journal, seconds to ready", "<=", 3,
         restart["ready_s"] if full else None, ".2f",
         bool(restart and restart["void"])),
        ("memory per admitted buyer in the gate, bytes", "<=", 100,
         most_bytes_per_buyer(results), ".0f", 0),
    ]
    return rows + cluster_targets(results) + slow_targets(results) + money_targets(results)


MONEY_CALLS = ("pay", "cancel", "refund")


def money_rate(results, how):
    """Calls a second when there are as many of each kind; None if a kind was not measured."""
    load = {"purchases": results.get("money", {}).get("load", [])}
    rates = [usable(load, f"{call}_{how}", 64, "rate") for call in MONEY_CALLS]
    return len(rates) / sum(1 / rate for rate in rates) if all(rates) else None


def rush_targets(results, rows, disk, said):
    """Gathered against single moves on one kind of disk; `rows` are the results in process."""
    load = {"purchases": results.get("money", {}).get("load", [])}
    hows = ("gathered" + disk, "single" + disk)
    gathered, single = (money_rate(results, how) for how in hows)
    void = void_runs(load, 64, *(f"{call}_{how}" for call in MONEY_CALLS for how in hows))
    inside = {"in_process": rows}
    return [("pay, cancel and refund gathered / one transaction each, 64 connections" + said, ">=", 15,
             gathered / single if gathered and single else None, ".1f", void),
            ("the same moves in process on SQLite" + said, ">=", 15,
             in_process(inside, "ledger_bench", "^moves_gathered", "ratio"), ".1f", 0),
            ("the same moves in process on MariaDB" + said, ">=", 5,
             in_process(inside, "ledger_bench", "^moves_in_mariadb", "ratio"), ".1f", 0)]


def money_targets(results):
    money = results.get("money", {})
    inside = {"in_process": money.get("ledger", [])}
    alone = in_process(inside, "pay_bench", "rsa_2048_alone", "items_per_second")
    read = in_process(inside, "pay_bench", "notify", "items_per_second")
    return [*rush_targets(results, money.get("ledger", []), "", ""),
            *rush_targets(results, money.get("slow_disk", []), "_slow_disk", ", a sync takes 2 ms"),
            ("messages of a channel checked / bare RSA-2048 verifications, one core", ">=", 0.3,
             read / alone if read and alone else None, ".2f", 0)]


def money_text(results):
    money = results["money"]
    load = {"purchases": money["load"]}
    return (MONEY + "\n" + medians_table(load) + "\n" + in_process_table({"in_process": money["ledger"]}) +
            "\n" + in_process_table({"in_process": money.get("slow_disk", [])}) + "\n" + runs_table(load))


def slow_targets(results):
    slow = results.get("slow_clients", {})
    load = {"purchases": slow.get("load", [])}
    left = [sum(turn["left"]) for turn in slow.get("memory", [])]
    return [("purchases beside slow clients / without, 256 connections", ">=", 0.85,
             ratio(load, 256, "purchase_beside", "purchase"), ".2f",
             void_runs(load, 256, "purchase_beside", "purchase")),
            ("connections and sockets of slow clients left when they have gone", "<=", 0,
             max(left) if left else None, "d", 0)]


def slow_text(results):
    slow = results["slow_clients"]
    load = {"purchases": slow["load"]}

    def mib(turn, when, what):
        return f"{turn[when][what] / 2**20:,.0f}"
    rows = [[str(n), *(mib(turn, when, "rss") for when in ("before", "during", "after")),
             *(mib(turn, when, "tcp") for when in ("before", "during", "after")),
             " -> ".join(str(turn[when]["files"]) for when in ("before", "during", "after"))]
            for n, turn in enumerate(slow["memory"], 1)]
    return (SLOW.format(**slow["size"]) + "\n" + medians_table(load) + "\n" + table(
        ["round", "MiB before", "during", "after", "TCP MiB before", "during", "after", "open files"],
        rows) + "\n" + runs_table(load))


def cluster_ratio(results, connections, what, of, field="rate"):
    return ratio({"purchases": results.get("cluster", {}).get("load", [])}, connections, what, of,
                 field)


def cluster_targets(results):
    rows = []
    for connections in (256, 64):
        at = f", {connections} connections"
        rows += [
            ("cluster: one node / peer" + at, ">=", 1.5,
             cluster_ratio(results, connections, "node", "peer"), ".2f", 0),
            ("cluster: two nodes on the same cores / one" + at, ">=", 0.0,
             cluster_ratio(results, connections, "two_nodes", "node"), ".2f", 0),
        ]
    entered = in_process({"in_process": results.get("cluster", {}).get("ledger", [])},
                         "ledger_bench", "enter_into_mariadb", "ratio")
    return rows + [("clerk into MariaDB / a hand-written loop of multi-row inserts", ">=", 0.6,
                    entered, ".2f", 0)]


def most_bytes_per_buyer(results):
    values = [row["bytes_per_buyer"] for row in results.get("in_process", [])
              if "bytes_per_buyer" in row]
    return max(values) if values else None


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def targets_table(results):
    rows = []
    for what, kind, bound, measured, form, void in targets(results):
        reached = "void" if void else "not measured"
        if measured is not None and "/ ceiling" in what and measured > 1:
            reached = "not credible: faster than the ceiling, the machine was busy"
        elif measured is not None:
            good = measured >= bound if kind == ">=" else measured <= bound
            reached = ("yes" if good else "**no**") + (f", but {void} runs void" if void else "")
        words = {">=": "at least", "<=": "at most"}[kind]
        rows.append([what, f"{words} {bound:,}", "-" if measured is None else f"{measured:{form}}",
                     reached])
    return table(["what", "target", "measured", "reached"], rows)


def medians_table(results):
    rows = []
    for key in dict.fromkeys((row["connections"], row["what"]) for row in results["purchases"]):
        connections, what = key
        figures = [usable(results, what, connections, field)
                   for field in ("rate", "p50_ms", "p99_ms", "p999_ms")]
        cells = ["void"] * 4 if figures[0] is None else (
            [f"{figures[0]:,.0f}"] + [f"{f:.2f}" for f in figures[1:]])
        rows.append([str(connections), what, *cells])
    return table(["connections", "what", "answers/s", "p50 ms", "p99 ms", "p99.9 ms"], rows)


def runs_table(results):
    return table(["connections", "what", "answers/s", "p99 ms", "max ms", "void"],
                 [[str(row["connections"]), row["what"], f"{row['rate']:,.0f}",
                   f"{row['p99_ms']:.2f}", f"{row['max_ms']:.2f}", row["void"]]
                  for row in results["purchases"]])


def in_process_table(results):
    known = {"program", "name", "family_index", "per_family_instance_index", "run_name", "run_type",
             "repetitions", "repetition_index", "threads", "aggregate_name", "aggregate_unit",
             "iterations", "real_time", "cpu_time", "time_unit", "items_per_second", "label"}
    rows = []
    for row in results["in_process"]:
        rate = f"{row['items_per_second']:,.0f}" if "items_per_second" in row else ""
        others = ", ".join(f"{key} {value:,.4g}" for key, value in row.items() if key not in known)
        rows.append([row["program"], f"`{row['run_name']}`",
                     f"{row['real_time']:,.1f} {row['time_unit']}", rate, others])
    return table(["program", "benchmark", "time", "items/s", "also"], rows)


def restart_text(results):
    r = results["restart"]
    text = (f"Buyers were promised units while the ledger was locked, so that the clerk could enter "
            f"nothing; then the server was killed with `kill -9` and started again. It found "
            f"{r['queued']:,} promises in the journal and {r['entered']:,} orders in the ledger, and was "
            f"ready after {r['ready_s']:.2f} s. The data directory held {r['bytes'] / 2**20:,.0f} MiB.\n")
    return text + (f"\nVoid: {r['void']}\n" if r["void"] else "")


def kept_text(results):
    """With --only, parts of the page are older than its head: say which."""
    here = results["machine"]["commit"]
    kept = [f"{part} (commit {commit})" for part, commit in results.get("measured_at", {}).items()
            if commit != here]
    return f"Kept from an earlier run: {', '.join(kept)}.\n\n" if kept else ""


def is_prose(line):
    return bool(line) and not line.startswith(("|", "#"))


def wrapped(text):
    """The text with its paragraphs and list entries filled anew; tables and headings stay as they are.
    How long a line of prose is depends on the figures in it."""
    lines, entry = [], []

    def end_entry():
        if entry:
            lines.append(textwrap.fill(
                " ".join(entry), COLUMNS_MAX, break_long_words=False, break_on_hyphens=False,
                subsequent_indent="  " if entry[0].startswith("- ") else ""))
        entry.clear()
    for line in text.split("\n"):
        if not is_prose(line) or line.startswith("- "):
            end_entry()
        if is_prose(line):
            entry.append(line.strip())
        else:
            lines.append(line)
    end_entry()
    return "\n".join(lines)


def page(results):
    parts = [HEAD.format(**results["machine"], **results["plan"]) + "\n" + kept_text(results),
             "## Against the targets\n\n" + targets_table(results)]
    if results.get("purchases"):
        parts.append("## Load, medians\n\n" + medians_table(results))
    if results.get("cluster"):
        load = {"purchases": results["cluster"]["load"]}
        parts.append("## A cluster\n\n" + CLUSTER + "\n" + medians_table(load) + "\n" + runs_table(load))
    if results.get("slow_clients"):
        parts.append("## Beside slow clients\n\n" + slow_text(results))
    if results.get("money"):
        parts.append("## A payment rush\n\n" + money_text(results))
    if results.get("restart"):
        parts.append("## Restart\n\n" + restart_text(results))
    if results.get("in_process"):
        parts.append("## In process\n\n" + in_process_table(results))
    if results.get("purchases"):
        parts.append("## Every run\n\n" + runs_table(results))
    parts.append("## Again, elsewhere\n\n`scripts/bench` installs what it needs, builds, measures and writes "
                 "this page. `scripts/bench --quick` shows in two minutes that it works; `--only purchases` "
                 "repeats one part.\n")
    return wrapped("\n".join(parts))
