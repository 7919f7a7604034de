"""The rows a conformance script judges, and how it ends."""

import json
import sys


def judge_file(path, judge, shown=None):
    """Calls `judge(row)` for each JSON line; it returns None or what is wrong. Exits the process.

    `shown()` says how many rows showed something; by default each did.
    """
    wrong = 0
    seen = 0
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            seen += 1
            fault = judge(json.loads(line))
            if fault is not None:
                wrong += 1
                print(f"{path}:{number}: {fault}", file=sys.stderr)
    print(f"{path}: {seen} rows, {wrong} wrong")
    if seen == 0 or (shown is not None and shown() == 0):
        sys.exit(f"{path}: no row showed anything")
    sys.exit(1 if wrong else 0)
