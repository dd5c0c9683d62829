# SPDX-License-Identifier: Apache-2.0
"""
The catalog's word against the server's deed.

Every reply, event and error that passes through the client is compared with what
`describe` declares, and what was seen is noted (coverage.py).  A Breach is never caught by a test.
"""
import base64
import binascii
import json
import re

from lib import coverage
from lib.server import printed

# Errors that any op may give; an op's row lists only its own.
GENERAL = re.compile(
    r"(auth|op|args|server|http)\..*|policy\.(scope|origin)_denied|limit\.(body_too_large|rate|too_many)")
ERROR_KEYS = {"error", "type", "code", "wire_code", "op", "endpoint", "rule", "request_id", "details"}
ALWAYS = {"error", "type", "code", "wire_code", "request_id", "details"}
HEADERS = {401: ("www-authenticate", "Bearer"), 405: ("allow", ""), 429: ("retry-after", ""), 503: ("retry-after", "")}
LIST_END = 2000


class Breach(AssertionError):
    """The server did what its catalog does not say."""


def ops():
    return {op["id"]: op for op in printed("describe", "--json")["ops"]}


def errors():
    return {error["wire_code"]: error for error in printed("describe", "--errors")}


def need(condition, message):
    if not condition:
        raise Breach(message)


def strict_json(text):
    """JSON as a strict parser takes it: UTF-8, no duplicate keys, no NaN, no lone surrogates."""
    def once(pairs):
        names = [name for name, _ in pairs]
        need(len(names) == len(set(names)), f"a key twice among {names}")
        return dict(pairs)

    def never(name):
        raise Breach(f"{name} in JSON")

    try:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=never)
    except ValueError as fault:
        raise Breach(f"not JSON ({fault}): {text[:500]!r}") from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Breach(f"a lone surrogate: {text[:500]!r}") from None
    return value


def is_base64(value):
    try:
        base64.b64decode(value, validate=True)
        return True
    except (binascii.Error, ValueError):
        return False


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {
    "string": lambda value, spec: isinstance(value, str),
    "path": lambda value, spec: isinstance(value, str),
    "bytes": lambda value, spec: isinstance(value, str) and is_base64(value),
    "integer": lambda value, spec: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value, spec: is_number(value),
    "boolean": lambda value, spec: isinstance(value, bool),
    "choice": lambda value, spec: isinstance(value, str) and value in spec["choices"],
    "array": lambda value, spec: isinstance(value, list),
    "object": lambda value, spec: isinstance(value, dict),
    "map": lambda value, spec: isinstance(value, dict),
    "any": lambda value, spec: True,
}


class Checker:
    """Walks a value along its rows; `kind` and `op` say under which names what it saw is noted."""

    def __init__(self, kind, op, prefix=""):
        self.kind, self.op, self.prefix = kind, op, prefix

    def value(self, spec, value, at):
        if value is None and spec.get("nullable"):
            return
        need(spec["type"] in TYPES, f"{self.op}: the catalog gives {at} the unknown type '{spec['type']}'")
        need(TYPES[spec["type"]](value, spec), f"{self.op}: {at} is {value!r:.200}, not of type {spec['type']}")
        if is_number(value):
            need(spec.get("minimum", value) <= value <= spec.get("maximum", value), f"{self.op}: {at} is out of range: {value}")
        if spec["type"] == "array" and "items" in spec:
            # Of the longest lists the ends: all of 100,000 entries take a minute.
            for item in value if len(value) <= 2 * LIST_END else value[:LIST_END] + value[-LIST_END:]:
                self.value(spec["items"], item, f"{at}[]")
        if spec.get("values") == "string":
            need(all(isinstance(text, str) for text in value.values()), f"{self.op}: {at} holds what is no string")
        if spec["type"] == "object" and "fields" in spec:
            self.fields(spec["fields"], value, f"{at}.")

    def fields(self, fields, value, at=""):
        need(isinstance(value, dict), f"{self.op}: {at or 'the answer'} is no object: {value!r:.200}")
        known = {field["name"]: field for field in fields}
        for name in value:
            need(name in known, f"{self.op}: {at}{name} is not in the catalog")
        for name, field in known.items():
            if name in value:
                coverage.saw(self.kind, self.op, f"{self.prefix}{at}{name}")
                self.value(field, value[name], f"{at}{name}")
            else:
                need(field.get("required", True) is False, f"{self.op}: {at}{name} is missing from {sorted(value)}")


def check_result(op, value):
    coverage.saw("op", op["id"])
    result = op["result"]
    if "fields" in result:
        Checker("result", op["id"]).fields(result["fields"], value)
    else:
        Checker("result", op["id"]).value(result, value, "the answer")


def check_event(op, name, value):
    coverage.saw("op", op["id"])
    declared = {event["event"]: event for event in op["events"]}
    need(name in declared, f"{op['id']}: the event '{name}' is not in the catalog")
    coverage.saw("event", op["id"], name)
    if name == "error" and "wire_code" in value:
        coverage.saw("error", op["id"], value["wire_code"])  # a stream tells its errors as events
    Checker("event", op["id"], f"{name}:").fields(declared[name]["fields"], value)
    return declared[name].get("final", False)


def check_message(op, value):
    """A JSON message of a WebSocket: its name is the event's, or else its type."""
    coverage.saw("op", op["id"])
    need(isinstance(value, dict), f"{op['id']}: a message that is no object: {value!r:.200}")
    name = value.get("event") or value.get("type")
    declared = {message["event"]: message for message in op["server_messages"]}
    need(name in declared, f"{op['id']}: the message '{name}' is not in the catalog")
    coverage.saw("event", op["id"], name)
    Checker("event", op["id"], f"{name}:").fields(declared[name]["fields"], value)


def check_error(op, reply, body, secrets=()):
    """The body of wire.md, section 5, row for row with the table of errors."""
    need(isinstance(body, dict) and ALWAYS <= body.keys() <= ERROR_KEYS, f"not the body of an error: {body!r:.500}")
    wire_code = body["wire_code"]
    row = errors().get(wire_code)
    need(row, f"the table of errors has no '{wire_code}'")
    for key, given in (("status", reply.status), ("code", body["code"]), ("type", body["type"])):
        if key == "type" and wire_code == "custom.failed":
            need(given and given == body["details"].get("type", given), f"{wire_code}: type is {given!r}")
            continue  # it is the command's own
        need(given == row[key], f"{wire_code}: {key} is {given!r}, the table says {row[key]!r}")
    need(body["error"] and isinstance(body["error"], str), f"{wire_code}: no message")
    need(isinstance(body["details"], dict), f"{wire_code}: details is no object")
    need(body["request_id"] == reply.header("x-request-id"), f"{wire_code}: request_id is not that of the header")
    rule = body.get("rule")
    need(rule is None or rule.startswith("policy:"), f"{wire_code}: rule is {rule!r}")
    need(rule or not wire_code.startswith("policy."), f"{wire_code}: a denial without its rule")
    if reply.status in HEADERS:
        name, begin = HEADERS[reply.status]
        need((reply.header(name) or "").startswith(begin) and reply.header(name), f"{reply.status} without {name}")
    for secret in secrets:
        need(secret not in json.dumps(body), f"{wire_code}: the body shows a token")
    if op:
        if body.get("op") is not None:
            need(body["op"] == op["id"], f"{wire_code}: op is {body['op']}, not {op['id']}")
            need(body.get("endpoint") == op.get("endpoint"), f"{wire_code}: endpoint is {body.get('endpoint')!r}")
        own = {*op["errors"], *(limit.get("error") for limit in op.get("limits", []))}
        need(wire_code in own or GENERAL.fullmatch(wire_code), f"{op['id']} does not list the error {wire_code}")
        coverage.saw("error", op["id"], wire_code)


def check_head(reply):
    """What holds for the head of every reply."""
    need(reply.header("x-request-id"), "no X-Request-Id")
    for name, value in reply.headers:
        need(value.isprintable(), f"header {name} holds a control character: {value!r}")
    for name in ("content-type", "content-length", "transfer-encoding", "connection", "etag"):
        reply.header(name)  # At most once.
