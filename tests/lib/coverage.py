# SPDX-License-Identifier: Apache-2.0
"""
What of the catalog the tests have seen.

Each test process appends what is new to it to its own file in ABX_COVERAGE_DIR; tools/check-coverage
puts them together.  Three kinds of thing: an op that answered, an error that an op lists, a field of a
result or event (by its dotted name, [] for the elements of an array).
"""
import json
import os

_seen = set()


def saw(kind, op, name=""):
    key = (kind, op, name)
    folder = os.environ.get("ABX_COVERAGE_DIR")
    if key in _seen or not folder:
        return
    _seen.add(key)
    with open(os.path.join(folder, f"{os.getpid()}.jsonl"), "a", encoding="utf-8") as file:
        file.write(json.dumps(key) + "\n")


def merged(folder):
    seen = set()
    for name in os.listdir(folder):
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                seen.update(tuple(json.loads(line)) for line in file)
    return seen


def _fields(fields, at=""):
    for field in fields:
        yield f"{at}{field['name']}"
        inner, where = field, f"{at}{field['name']}"
        while inner.get("type") == "array" and "items" in inner:
            inner, where = inner["items"], f"{where}[]"
        if "fields" in inner:
            yield from _fields(inner["fields"], f"{where}.")


def wanted(ops):
    """Everything that these ops of the catalog declare."""
    want = set()
    for op in ops:
        want.add(("op", op["id"], ""))
        want.update(("error", op["id"], code) for code in op.get("errors", []))
        want.update(("result", op["id"], name) for name in _fields(op.get("result", {}).get("fields", [])))
        for event in op.get("events", []) + op.get("server_messages", []):
            want.add(("event", op["id"], event["event"]))
            want.update(("event", op["id"], f"{event['event']}:{name}") for name in _fields(event["fields"]))
    return want


def exceptions(path):
    """The reasons of lines `kind op name — reason`; one is required."""
    allowed = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            what, dash, reason = line.partition(" — ")
            words = what.split()
            if not dash or not reason or len(words) not in (2, 3):
                raise ValueError(f"{path}:{number}: not 'kind op name — reason'")
            allowed[words[0], words[1], words[2] if len(words) == 3 else ""] = reason
    return allowed


def faults(ops, seen, allowed):
    want = wanted(ops)
    never = {key for key, reason in allowed.items() if not reason.startswith("seen where ")}
    lines = [f"never seen: {' '.join(key).strip()}" for key in sorted(want - seen - allowed.keys())]
    lines += [f"listed as never seen, but seen: {' '.join(key).strip()}" for key in sorted(never & seen)]
    lines += [f"listed as never seen, but not in the catalog: {' '.join(key).strip()}" for key in sorted(allowed.keys() - want)]
    return lines
