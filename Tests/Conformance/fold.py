#!/usr/bin/env python3
"""Folds what was signed about subscriptions a second time, over histories that it makes up.

    fold.py make DIR --seed N --facts N    writes DIR/histories.jsonl and DIR/states.jsonl
    fold.py selftest [DIR]                 folds wrongly in each way that is known, and compares

A line of `states.jsonl` is what docs/subscriptions.md says of the history in the same line:
`fold_lines.py` has its form. Whoever compares delivers the facts in an order of their own, each
as often as they like.

Exits 0 only if every kind of event was met often enough, and every planted fault was found.
"""

import argparse
import collections
import contextlib
import json
import multiprocessing
import os
import pathlib
import sys

import fold_histories as histories
import fold_lines as lines
import fold_truth as truth

OF_FACTS = 50_000
HISTORIES_AT_ONCE = 50
# Of so many facts each case must have been met this often.
NEEDED = {
    **{("SUBSCRIBED", one): 200 for one in ("INITIAL_BUY", "RESUBSCRIBE")},
    **{("DID_RENEW", one): 100 for one in ("", "BILLING_RECOVERY")},
    **{("DID_CHANGE_RENEWAL_PREF", one): 100 for one in ("", "DOWNGRADE", "UPGRADE")},
    **{("DID_CHANGE_RENEWAL_STATUS", f"AUTO_RENEW_{one}"): 200 for one in ("ENABLED", "DISABLED")},
    **{("OFFER_REDEEMED", one): 100 for one in ("", "DOWNGRADE", "UPGRADE")},
    **{("EXPIRED", one): 20 for one in (
        "", "VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "FUTURE")},
    **{("DID_FAIL_TO_RENEW", one): 100 for one in ("", "GRACE_PERIOD")},
    **{("PRICE_INCREASE", one): 100 for one in ("PENDING", "ACCEPTED")},
    **{(one, ""): 100 for one in (
        "GRACE_PERIOD_EXPIRED", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "MIGRATION", "MIGRATE", "METADATA_UPDATE",
        "FUTURE_THING", "lost", "sameItem", "family", "purchased")},
    ("REVOKE", ""): 50, ("RENEWAL_EXTENSION", "FAILURE"): 20,
    ("PRICE_CHANGE", "FUTURE_SUBTYPE"): 50,
    **{("offer", one): 100 for one in (1, 2, 3, 4, 5, 9)},
    **{("discount", one): 300 for one in histories.DISCOUNTS},
    **{("commitment", one): 10 for one in range(1, 13)},
    **{("intent", one): 20 for one in range(1, 7)},
    **{("refund", one): 100 for one in ("whole", "part", "unsaid", "beyond")},
    ("refund", "again"): 30,
    **{("reversal", one): 100 for one in ("date stays", "date gone")},
    **{("request", one): 100 for one in ("none", "declined", "refund")},
    **{("returned", one): 100 for one in ("won back", "by themselves")},
    **{("read", one): 300 for one in ("history", "status")},
    **{("distorted", one): 100 for one in ("gone", "strange", "date", "outer date", "twin")},
    **{("history", one): 50 for one in (
        "that could be", "that cannot be", "without its beginning")},
}
# Of each planted fault so many histories at the least must tell.
FOUND = 3


def part(job):
    """Some histories with their states; in a process of its own."""
    seed, first = job
    tally, made = collections.Counter(), []
    for number in range(first, first + HISTORIES_AT_ONCE):
        history = histories.make(seed, number, tally)
        made.append((history, lines.lines(history)))
    return made, tally


@contextlib.contextmanager
def processes():
    """Ended by themselves, not by a signal that a parent may have told them to ignore."""
    pool = multiprocessing.Pool(os.cpu_count())
    yield pool
    pool.close()
    pool.join()


def make(directory, seed, wanted):
    tally, facts, count, first = collections.Counter(), 0, 0, 0
    with (
            open(directory / "histories.jsonl", "w", encoding="utf-8") as asked,
            open(directory / "states.jsonl", "w", encoding="utf-8") as answered,
            processes() as pool):
        while facts < wanted:
            step = HISTORIES_AT_ONCE * os.cpu_count()
            jobs = [(seed, number) for number in range(first, first + step, HISTORIES_AT_ONCE)]
            for made, met in pool.map(part, jobs):
                tally += met
                for history, state in made:
                    asked.write(json.dumps(history) + "\n")
                    answered.write(json.dumps(state) + "\n")
                    facts, count = facts + len(history["facts"]), count + 1
            first += step
    share = min(1, facts / OF_FACTS)
    missing = [
        f"{' '.join(map(str, case))}: {tally[case]}" for case, needed in NEEDED.items()
        if tally[case] < max(1, int(needed * share))]
    for case in sorted(tally, key=str):
        print(f"  {' '.join(map(str, case))}: {tally[case]}")
    for case in missing:
        print(f"  not met often enough: {case}")
    print(f"fold: {facts} facts of {count} subscriptions, {len(tally)} kinds of events")
    return 1 if missing else 0


def wrongly(job):
    fault, kept = job
    found = 0
    for text, state in kept:
        history = json.loads(text)
        if fault in ("arrivalOrder", "deliveriesCounted", "dateAlone"):
            # As they came: some twice, and the newest not last.
            history["facts"] = history["facts"][::-1] + history["facts"][:1]
        found += lines.lines(history, fault) != state
    return fault, found


SELFTEST_HISTORIES = 600


def selftest(directory):
    if directory is None:
        made, _ = histories.make_many(1, SELFTEST_HISTORIES)
        kept = [(json.dumps(history), lines.lines(history)) for history in made]
    else:
        with (
                open(directory / "histories.jsonl", encoding="utf-8") as asked,
                open(directory / "states.jsonl", encoding="utf-8") as answered):
            kept = [
                (text, json.loads(state))
                for text, state, _ in zip(asked, answered, range(SELFTEST_HISTORIES))]
    problems = []
    for text, state in kept:
        history = json.loads(text)
        history["facts"] = history["facts"][::-1] + history["facts"]
        if lines.lines(history) != state:
            problems.append(f"history {history['number']} depends on order or number")
    with processes() as pool:
        for fault, found in pool.imap(wrongly, [(fault, kept) for fault in truth.FAULTS]):
            if found < FOUND:
                problems.append(f"{fault}: found in {found} histories")
            print(f"  {fault}: found in {found} of {len(kept)} histories")
    for problem in problems[:10]:
        print(f"selftest: {problem}")
    print(f"selftest: {len(truth.FAULTS)} kinds of faults planted, {len(problems)} not found")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("directory", type=pathlib.Path)
    making.add_argument("--seed", type=int, default=1)
    making.add_argument("--facts", type=int, default=OF_FACTS)
    commands.add_parser("selftest").add_argument("directory", type=pathlib.Path, nargs="?")
    given = parser.parse_args()
    if given.command == "make":
        given.directory.mkdir(parents=True, exist_ok=True)
        return make(given.directory, given.seed, given.facts)
    return selftest(given.directory)


if __name__ == "__main__":
    sys.exit(main())
