#!/usr/bin/env python3
"""Holds a running admin API against its document.

    admin_api.py BASE-URL KEYS-FILE [--max-examples 50] [--seed 20261130] [--at-least 0] [--phases …]

KEYS-FILE is JSON, {"full": "hf_…"}: a key with every scope and no limits, of a tenant that is there
for this alone, under a rate limit that this does not reach. schemathesis makes the requests, with all
its checks and phases; ours are in admin_api_checks.py. The last line is JSON. Exits 0 only if nothing
failed, enough cases ran, and each operation succeeded at least once.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import requests

from admin_api_checks import AnswerChecks
from admin_api_supply import SECONDS, Supply

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "docs" / "api" / "openapi.json"
PHASES = "examples,coverage,fuzzing,stateful"

# Operations that may go without one 2xx, each with the reason why.
EXCUSED = {
    name: "nothing is at Apple while no sync works"
    for name in ("getAppleObject", "createResubmission")
} | {
    "getDecision": "nobody asks, and so nothing is decided",
    "getNotification": "nobody notifies; what is kept is read by the gateway's own tests",
}

# Deleting one of these retires or revokes it; it can still be read, on purpose.
RETIRED = ["getCredential", "getEndpoint", "getApiKey", "updateApiKey"]


def settings(token, seed, max_examples):
    """The settings of schemathesis, as TOML."""
    retired = "".join(
        f'\n[[operations]]\ninclude-operation-id = "{name}"\nchecks.use_after_free.enabled = false\n'
        for name in RETIRED)
    return f"""
seed = {seed}
continue-on-failure = true
warnings = false
[headers]
Authorization = "Bearer {token}"
[generation]
mode = "all"
max-examples = {max_examples}
allow-x00 = false
database = "none"
[checks]
# Of these, 400, 412, 422 and 428 are looked into by house_rules.
positive_data_acceptance.expected-statuses = [
  "2xx", "304", "400", "404", "409", "412", "422", "428"]
negative_data_rejection.expected-statuses = [
  "400", "401", "403", "404", "405", "409", "412", "413", "415", "422", "428"]
missing_required_header.expected-statuses = ["400", "401", "428"]
{retired}"""


def narrow_key_faults(document, base_url, token):
    """A key with one scope is told 403 by every operation of another, whatever it names."""
    checks = AnswerChecks(document)
    faults = []
    count = 0
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if operation["x-holdfast-scope"] in ("none", "clients:read"):
                continue
            count += 1
            headers = {
                "Authorization": f"Bearer {token}", "If-Match": "*", "Idempotency-Key": f"narrow-{count}"}
            bodies = list(operation.get("requestBody", {}).get("content", {}))
            if bodies:
                headers["Content-Type"] = bodies[0]
            response = requests.request(
                method, base_url + re.sub(r"\{\w+\}", "1", path), headers=headers,
                data="{}" if bodies else None, timeout=SECONDS)
            name = operation["operationId"]
            if response.status_code != 403 or response.json().get("code") != "scopeMissing":
                faults.append(f"{name}: {response.status_code} to a key without its scope")
                continue
            faults += [
                f"{name}: {fault}" for fault in checks.faults(operation, 403, response.headers, response.json())]
    return count, faults


def run_schemathesis(arguments, token, folder):
    plan = {
        "baseURL": arguments.base_url, "token": token, "document": str(DOCUMENT),
        "counts": str(folder / "counts.json")}
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    (folder / "schemathesis.toml").write_text(
        settings(token, arguments.seed, arguments.max_examples), encoding="utf-8")
    environment = {
        **os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1",
        "SCHEMATHESIS_HOOKS": "admin_api_hooks", "HOLDFAST_ADMIN_API_PLAN": str(folder / "plan.json")}
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(folder / "schemathesis.toml"),
        "run", str(DOCUMENT), "--url", arguments.base_url, "--checks", "all", "--workers", "1",
        "--phases", arguments.phases, "--request-timeout", str(SECONDS), "--suppress-health-check", "all"]
    ended = subprocess.run(command, env=environment, cwd=folder, check=False).returncode
    try:
        counts = json.loads((folder / "counts.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        sys.exit("admin_api.py: schemathesis ended before it counted anything")
    return ended, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("base_url")
    parser.add_argument("keys_file")
    parser.add_argument("--max-examples", type=int, default=50, help="cases an operation, in a phase")
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--at-least", type=int, default=0, help="cases that must have run")
    parser.add_argument("--phases", default=PHASES)
    arguments = parser.parse_args()
    arguments.base_url = arguments.base_url.rstrip("/")
    with open(arguments.keys_file, encoding="utf-8") as file:
        token = json.load(file)["full"]
    with open(DOCUMENT, encoding="utf-8") as file:
        document = json.load(file)

    began = time.monotonic()
    narrow = Supply(arguments.base_url, token).token(["clients:read"])
    scope_cases, faults = narrow_key_faults(document, arguments.base_url, narrow)
    with tempfile.TemporaryDirectory() as folder:
        ended, counts = run_schemathesis(arguments, token, pathlib.Path(folder))

    operations = counts["operations"]
    cases = sum(count["cases"] for count in operations.values())
    good = sum(count["good"] for count in operations.values())
    never = sorted(name for name, count in operations.items() if count["good"] == 0)
    faults += [f"{name}: no 2xx in {operations[name]['cases']} cases" for name in never if name not in EXCUSED]
    faults += [f"{name}: excused, and yet it had a 2xx" for name in EXCUSED if name not in never]
    if ended != 0:
        faults.append(f"schemathesis ended with {ended}; see above")
    if cases < arguments.at_least:
        faults.append(f"{cases} cases ran, {arguments.at_least} were wanted")
    for name, count in sorted(operations.items()):
        share = count["good"] / count["cases"] if count["cases"] else 0
        statuses = " ".join(f"{status}:{number}" for status, number in sorted(count["statuses"].items()))
        print(f"{name:26} {count['cases']:6} cases {share:5.0%} 2xx   {statuses}")
    for fault in faults:
        print(f"admin_api.py: {fault}", file=sys.stderr)
    print(json.dumps({
        "cases": cases, "good": good, "goodShare": round(good / cases, 3) if cases else 0,
        "scopeCases": scope_cases, "setUpCalls": counts["setUpCalls"], "operations": len(operations),
        "neverGood": never, "faults": len(faults), "seed": arguments.seed,
        "seconds": round(time.monotonic() - began), "passed": not faults}))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
