#!/usr/bin/env python3
"""Checks answers against a ground truth that it made up itself.

    decisions.py world DIR --seed N                   writes DIR/world.json
    decisions.py check DIR ORIGIN --count N           asks, writes DIR/answers.jsonl, judges each
    decisions.py records DIR                          compares DIR/records.jsonl with it
    decisions.py selftest [DIR]                       plants wrongs into a true log

Between `world` and `check` somebody loads the world into PostgreSQL, starts a responder on it that
trusts `chain.rootPEM` and takes its time from `POST ORIGIN/clock/{milliseconds}`, and writes
DIR/places.json: of each app, in production and then in the sandbox, the path of its endpoint and
the number of the snapshot that it is answered from.

Exits 0 only if nothing was wrong and every case was met often enough: a checker that never met a
case has not checked it.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import sys
import time

import decisions_ask as asking
import decisions_conditions as conditions
import decisions_facts as facts
import decisions_judge as judging
import decisions_plants as plants
import decisions_world as making

SHOWN = 10
LOCALE_BYTES = 64
# Of so many answers each case must have been met this often.
OF_ANSWERS = 100_000
NEEDED = {
    **{("kind", kind): 500 for kind in [*judging.KEYS, "fallback"]},
    **{("reason", one): 300 for one in (
        "chosenByRule", "nothingToShow", "stopped", "holdout", "outOfDate")},
    **{("dead", one): 300 for one in (
        "noApprovedText", "noMessage", "notInGroup", "noBillingPlan", "noOffer", "noKey",
        "notConfirmed", "offerCap", "coolDown", "budgetSpent", "countersUnknown",
        "budgetUnknown", "staleState", "noArm")},
    **{("mode", mode): 1_000 for mode in conditions.MODES},
    **{("budget", one): 200 for one in ("never read", "in other money")},
    ("subscriber", "not found"): 3_000,
    **{("text", how): 3_000 for how in ("exact", "near", "default")},
    **{("near", one): 200 for one in ("another code", "Chinese Hans", "Chinese Hant", "region")},
    **{("holdout", answer): 300 for answer in ("defaultMessage", "fallback")},
    **{("escalation", one): 200 for one in ("step 0", "step 1", "step 2", "step back")},
    **{("schedule", one): 1_000 for one in ("inside", "outside")},
    **{("age", one, "too old"): 1_000 for one in ("profile", "client")},
    **{("arm", arm): 200 for arm in ("arm0", "arm1", "arm2", "arm3", "late")},
    **{("condition", kind, verdict): 1_000
       for kind in ("all", "any", "not", "fact") for verdict in (True, False, None)},
    **{("condition", "randomShare", verdict): 1_000 for verdict in (True, False)},
    **{("fact", fact, verdict): 200
       for fact in [*facts.FACTS, "client"] for verdict in (True, False)},
    **{("fact", fact, None): 200
       for fact in [*facts.FACTS, "client"]
       if fact not in facts.REQUEST_FACTS - {"subscriptionGroup"}},
    **{("stranger", kind): 200 for kind in ("forged", "otherApp")},
    **{("signature version", version): 1_000 for version in (1, 2)},
    ("billing plan", "MONTHLY"): 200,
}


def load(directory):
    return json.loads((directory / "world.json").read_text())


def spoken(names):
    return " ".join(str(name) for name in names)


def unmet(tally, answers):
    """The cases that were not met often enough."""
    share = min(1, answers / OF_ANSWERS)
    return [
        f"{spoken(case)}: {tally[case]}" for case, needed in NEEDED.items()
        if tally[case] < max(1, int(needed * share))]


def replay(job):
    """Judges every n-th line; in a process of its own."""
    directory, offset, step = job
    judge, wrongs, shown, answers = judging.Judge(load(directory)), collections.Counter(), [], 0
    wrong_answers = 0
    with open(directory / "answers.jsonl", encoding="utf-8") as lines:
        for number, text in enumerate(lines):
            if number % step != offset:
                continue
            line = json.loads(text)
            wrong, expected = judge.judge(line)
            answers += line["kind"] == "genuine"
            if wrong:
                wrong_answers += 1
                wrongs.update(wrong)
                shown.append(f"line {number + 1}: {sorted(wrong)}\n  {text}  expected {expected}")
    return answers, wrong_answers, wrongs, judge.tally, judge.nonces, shown[:SHOWN]


def judge_log(directory):
    step = os.cpu_count() or 1
    with multiprocessing.Pool(step) as pool:
        parts = pool.map(replay, [(directory, offset, step) for offset in range(step)])
    answers = sum(part[0] for part in parts)
    wrong = sum(part[1] for part in parts)
    wrongs = sum((part[2] for part in parts), collections.Counter())
    tally = sum((part[3] for part in parts), collections.Counter())
    # One process sees its own nonces only.
    apart = [set(part[4]) for part in parts]
    again = sum(len(nonces) for nonces in apart) - len(set().union(*apart))
    wrongs["offerNonce"] += again
    return answers, wrong + again, wrongs, tally, [text for part in parts for text in part[5]]


def check(directory, origin, count):
    world = load(directory)
    described = json.loads((directory / "places.json").read_text())
    places = plants.truth.places(world)
    started = time.monotonic()
    with open(directory / "answers.jsonl", "w", encoding="utf-8") as log:
        asking.ask(world, places, origin, [one["path"] for one in described], count, log)
    asked = time.monotonic()
    answers, wrong, wrongs, tally, shown = judge_log(directory)
    judged = time.monotonic()
    for text in shown[:SHOWN]:
        print(text)
    for case in sorted(tally, key=spoken):
        print(f"  {spoken(case)}: {tally[case]}")
    for name, meaning in judging.WRONGS.items():
        print(f"  wrong, {name}: {wrongs[name]} ({meaning})")
    missing = unmet(tally, answers)
    for case in missing:
        print(f"  not met often enough: {case}")
    print(f"  asked in {asked - started:.0f} s, judged in {judged - asked:.0f} s")
    print(f"decisions: {answers} answers, {wrong} wrong")
    return 0 if wrong == 0 and answers >= count and not missing else 1


def records(directory):
    """What PostgreSQL keeps of the same decisions."""
    judge = judging.Judge(load(directory))
    described = json.loads((directory / "places.json").read_text())
    with open(directory / "answers.jsonl", encoding="utf-8") as log:
        lines = {}
        for text in log:
            line = json.loads(text)
            if line["kind"] == "genuine":
                lines[line["place"], line["request"]["requestIdentifier"]] = line
    seen, wrong, planted, missed = 0, 0, collections.Counter(), []
    with open(directory / "records.jsonl", encoding="utf-8") as rows:
        for text in rows:
            row = json.loads(text)
            line = lines.pop((row["place"], row["requestIdentifier"]), None)
            seen += 1
            differences = record_differences(judge, described, line, row)
            if differences:
                wrong += 1
                if wrong <= SHOWN:
                    print(f"{row}: {differences}")
                continue
            for name, crooked in crooked_records(row).items():
                if planted[name] < plants.WANTED:
                    planted[name] += 1
                    if name not in record_differences(judge, described, line, crooked):
                        missed.append(f"{name} is not found in {crooked}")
    missed += [f"{name}: {planted[name]} planted" for name in CROOKED_MEMBERS
               if planted[name] < plants.NEEDED]
    for fault in missed[:SHOWN]:
        print(fault)
    print(f"records: {seen} records, {wrong} wrong; {sum(planted.values())} planted, "
          f"{len(missed)} missed")
    return 0 if wrong == 0 and seen > 0 and not missed else 1


CROOKED_MEMBERS = ["degraded", "dead", "profileSource", "isReproduced"]


def crooked_records(row):
    """The same record with one wrong in it, by the member that is wrong."""
    crooked = {"isReproduced": {**row, "isReproduced": False}}
    if row.get("degraded") is not None:
        crooked["degraded"] = {**row, "degraded": None}
    if row["dead"]:
        last = row["dead"][-1]
        reasons = [*last["reasons"][:-1], "noBillingPlan", "noOffer"]
        crooked["dead"] = {**row, "dead": [*row["dead"][:-1], {**last, "reasons": reasons}]}
    if row.get("profileSource") == "unavailable":
        crooked["profileSource"] = {**row, "profileSource": "memory"}
    return crooked


def kept_locale(text):
    """A record has the first 64 bytes, in whole characters."""
    return text.encode()[:LOCALE_BYTES].decode(errors="ignore")


def record_differences(judge, described, line, row):
    if line is None:
        return "a decision that nobody asked for, or twice"
    place, request = judge.places[row["place"]], line["request"]
    situation = conditions.of_line(line)
    expected = judge.truth.expect(place, request, line["at"], situation)
    mode = conditions.mode(situation)
    answer = judging.read(line["status"], line["body"])
    served = expected.identifiers.get(answer.message)
    wanted = {
        "kind": expected.kind, "rule": expected.rule, "experiment": expected.experiment,
        "arm": expected.arm, "isHoldout": expected.is_held_out, "fallbackReason": expected.reason,
        "messageIdentifier": answer.message, "localeServed": served,
        "originalTransactionId": request["originalTransactionId"],
        "productId": request["productId"], "localeAsked": kept_locale(request["userLocale"]),
        "signedDate": request["signedDate"], "decidedAt": line["at"],
        "snapshotNumber": described[row["place"]]["snapshotNumber"],
        "degraded": None if mode == "full" else mode, "dead": expected.dead,
        "isReproduced": True,
    }
    # Nobody is looked up for rules that ask for nobody.
    found = {"memory", "database", "absent"} if situation["findsSubscribers"] else {"unavailable"}
    if row.get("profileSource") not in found | {"notNeeded"}:
        wanted["profileSource"] = sorted(found)
    return {
        name: f"{row.get(name)!r}, expected {value!r}" for name, value in wanted.items()
        if row.get(name) != value}


SELFTEST_LINES = 8_000


def selftest(directory):
    if directory is None:
        world = making.make_world(1)
        lines = plants.true_log(world, SELFTEST_LINES)
    else:
        world = load(directory)
        # From all of it, since the log goes from condition to condition; half of them bad ones.
        with open(directory / "answers.jsonl", encoding="utf-8") as log:
            lines = [json.loads(text) for text in log]
        halves = [[one for one in lines if ("conditions" in one) is bad] for bad in (True, False)]
        lines = [one for half in halves for one in half[::-(-len(half) * 2 // SELFTEST_LINES)]]
    judge = judging.Judge(world)
    faults = [f"{sorted(wrong)} in a true log" for line in lines if (wrong := judge.judge(line)[0])]
    total = 0
    for name, planted, found in plants.plant(world, lines):
        total += planted
        if planted < plants.NEEDED or found != planted:
            faults.append(f"{name}: {planted} planted, {found} found")
    if not unmet(collections.Counter(), OF_ANSWERS):
        faults.append("a log that meets no case is enough")
    for fault in faults[:SHOWN]:
        print(f"selftest: {fault}")
    print(f"selftest: {len(plants.PLANTS)} kinds of wrongs, {total} planted, {len(faults)} faults")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    world = commands.add_parser("world")
    world.add_argument("directory", type=pathlib.Path)
    world.add_argument("--seed", type=int, default=1)
    checking = commands.add_parser("check")
    checking.add_argument("directory", type=pathlib.Path)
    checking.add_argument("origin")
    checking.add_argument("--count", type=int, default=OF_ANSWERS)
    commands.add_parser("records").add_argument("directory", type=pathlib.Path)
    commands.add_parser("selftest").add_argument("directory", type=pathlib.Path, nargs="?")
    given = parser.parse_args()
    if given.command == "world":
        given.directory.mkdir(parents=True, exist_ok=True)
        text = json.dumps(making.make_world(given.seed), ensure_ascii=False)
        (given.directory / "world.json").write_text(text, encoding="utf-8")
        return 0
    if given.command == "check":
        return check(given.directory, given.origin, given.count)
    return records(given.directory) if given.command == "records" else selftest(given.directory)


if __name__ == "__main__":
    sys.exit(main())
