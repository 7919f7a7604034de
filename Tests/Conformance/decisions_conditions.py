"""How things are with the responder: how old what it knows is, and what it can read at all.

Each is a JSON object as `POST ORIGIN/conditions` takes it. Ages are in milliseconds, and null where
nobody can tell.
"""

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR

GOOD = {"snapshotsAge": 0, "subscribersAge": 0, "findsSubscribers": True, "readsBudgets": True}
# From the least that is wrong to the most.
MODES = ["full", "noBudgetedOffers", "noOffers", "defaultOnly", "silent"]
# Up to each of these ages, as much as that mode says.
UNTIL = [15 * MINUTE, HOUR, DAY, 3 * DAY]

# Percent of the requests, and what is not as it should be; all else is.
BAD = [
    # Both sides of each edge.
    (1, {"snapshotsAge": 15 * MINUTE}), (3, {"snapshotsAge": 15 * MINUTE + 1}),
    (2, {"snapshotsAge": HOUR}), (3, {"snapshotsAge": HOUR + 1}),
    (1, {"snapshotsAge": DAY}), (2, {"snapshotsAge": DAY + 1}),
    (1, {"snapshotsAge": 3 * DAY}), (1, {"snapshotsAge": 3 * DAY + 1}),
    (1, {"snapshotsAge": None}),
    (1, {"subscribersAge": 15 * MINUTE}), (3, {"subscribersAge": 15 * MINUTE + 1}),
    (2, {"subscribersAge": None}),
    (8, {"findsSubscribers": False}), (6, {"readsBudgets": False}),
    (1, {"findsSubscribers": False, "readsBudgets": False}),
    (1, {"findsSubscribers": False, "snapshotsAge": 15 * MINUTE + 1}),
    (1, {"readsBudgets": False, "subscribersAge": 15 * MINUTE + 1}),
    (1, {"findsSubscribers": False, "snapshotsAge": HOUR + 1}),
    # What is known of snapshots says more than what is known of subscribers, and the reverse.
    (1, {"snapshotsAge": DAY + 1, "subscribersAge": None}),
]


def phases(count):
    """(how many requests, under which conditions); `count` in all, or a few more."""
    bad = [(-(-count * share // 100), {**GOOD, **change}) for share, change in BAD]
    return [(max(0, count - sum(number for number, _ in bad)), GOOD), *bad]


def of_line(line):
    return line.get("conditions", GOOD)


def mode(conditions):
    """How much may be said."""
    age = conditions["snapshotsAge"]
    if age is None:
        return "silent"
    by_snapshots = sum(age > limit for limit in UNTIL)
    age = conditions["subscribersAge"]
    # Old counts and sums cost offers, and nothing else.
    by_subscribers = int(age is None or age > UNTIL[0])
    return MODES[max(by_snapshots, by_subscribers)]
