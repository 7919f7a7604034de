"""Writes the last results into docs/promises.md: one file per promise in the folder named first.

A promise without a result, and a result without a promise, is a mistake: nothing is written then.
"""

import datetime
import os
import pathlib
import re
import sys

ROW = re.compile(r"^\| `([a-z-]+)` \|(.*)\|([^|]*)\|$")


def main(folder: str, page: str) -> int:
    results = {path.name: path.read_text().strip() for path in pathlib.Path(folder).iterdir()}
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    lines, seen = [], set()
    for line in pathlib.Path(page).read_text().splitlines():
        row = ROW.match(line)
        if row:
            name = row[1]
            seen.add(name)
            result = results.get(name, "").replace("|", "/")
            line = f"| `{name}` |{row[2]}| {result}; {day}, debug build, {os.cpu_count()} cores |"
        lines.append(line)
    problems = [f"{name} has no result" for name in sorted(seen - results.keys())]
    problems += [f"{name} is no promise of {page}" for name in sorted(results.keys() - seen)]
    if problems or not seen:
        print("promises: " + "; ".join(problems or ["the page has none"]), file=sys.stderr)
        return 1
    pathlib.Path(page).write_text("\n".join(lines) + "\n")
    print(f"promises: {len(seen)} kept")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
