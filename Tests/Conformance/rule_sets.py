"""Holds what the API takes and refuses of rule sets to the schema that it publishes.

Usage: rule_sets.py docs/api/rule-set.schema.json FILE
Each line of FILE: {"ruleSet": …, "isTaken": bool, "read": what is read back, or null, "faults": codes}.
Exits non-zero where the two disagree, but for faults that no schema can say.
"""

import json
import sys

from jsonschema import Draft202012Validator

from rows import judge_file

# Of spans, sums, spellings and bytes; depth and size of a tree.
BEYOND_SCHEMAS = {"outOfRange", "nearMiss", "duplicate", "tooMany", "unknownValue"}

refused = 0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        validator = Draft202012Validator(json.load(file))

    def judge(row):
        global refused
        faults = [error.json_path for error in validator.iter_errors(row["ruleSet"])]
        if row["isTaken"]:
            if faults:
                return f"taken, and the schema says no at {faults[0]}"
            read = [error.json_path for error in validator.iter_errors(row["read"])]
            return f"what is read back is not of the schema at {read[0]}" if read else None
        if set(row["faults"]) <= BEYOND_SCHEMAS:
            return None
        refused += 1
        return None if faults else f"refused for {row['faults']}, and the schema says yes"

    judge_file(sys.argv[2], judge, lambda: refused)


if __name__ == "__main__":
    main()
