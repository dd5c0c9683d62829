# SPDX-License-Identifier: Apache-2.0
"""
A worker that does as it is told, well or badly: `python3 puppet.py FOLDER [HOW]`.

It knows nothing of the server's code.  Each start adds a line to FOLDER/starts; what it is asked is added to
FOLDER/asked.  HOW is what goes wrong when it describes itself; the first line of FOLDER/how, where there is one, wins.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
HOW = sys.argv[2] if len(sys.argv) > 2 else "well"
TEXT = {"name": "text", "type": "string", "description": "Any."}
NUMBER = {"name": "count", "type": "integer", "required": False, "default": 1}

COMMANDS = [
    {"name": "echo", "description": "Give back.\nAll of it.", "args": [
        TEXT, NUMBER, {"name": "ratio", "type": "float", "required": False}, {"name": "sure", "type": "boolean", "default": False},
        {"name": "items", "type": "array", "default": []}, {"name": "more", "type": "object", "default": {}}]},
    {"name": "hold", "description": "Answer when let go.", "args": [{"name": "key"}], "timeout": 300},
    {"name": "release", "args": [{"name": "key"}]},
    {"name": "fail", "args": [{"name": "type", "default": "ValueError"}]},
    {"name": "fail-oddly"}, {"name": "void"}, {"name": "die"}, {"name": "die-loudly"}, {"name": "killed"}, {"name": "nap", "args": [{"name": "number"}]},
    {"name": "answer", "args": [{"name": "json"}]}, {"name": "garbage"}, {"name": "array"}, {"name": "stranger"}, {"name": "both"}, {"name": "twice"}, {"name": "flood"},
    {"name": "long"}, {"name": "large"}, {"name": "deaf"}, {"name": "mute"}, {"name": "silent", "timeout": 0.3},
    {"name": "secret", "hidden": True},
    {"name": "freeze"}, {"name": "env", "args": [{"name": "name"}]}, {"name": "facts"},
]


def put(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def raw(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def note(name, text):
    with open(FOLDER / name, "a") as file:
        file.write(text + "\n")


def describe(number, how):
    if how == "hang":
        return
    if how == "dies":
        sys.stderr.write("no module named numpy\n")
        sys.exit(7)
    if how == "refuses":
        put(id=number, error={"message": "not today"})
    elif how == "junk":
        raw("hello\n")
    elif how.startswith("{"):
        put(id=number, result=json.loads(how))
    else:
        put(id=number, result={"commands": COMMANDS})


def call(number, name, args, held):  # one branch for each way to go wrong
    if name == "echo":
        put(id=number, result=args)
    elif name == "hold":
        held[args["key"]] = number
        note("held", args["key"])
    elif name == "release":
        put(id=held.pop(args["key"]), result="let go: " + args["key"])
        put(id=number, result=None)
    elif name == "fail":
        sys.stderr.write("Traceback: it went wrong\n")
        sys.stderr.flush()
        put(id=number, error={"type": args["type"], "message": "no such thing: \u00e9"})
    elif name == "fail-oddly":
        put(id=number, error="just a text")
    elif name == "void":
        put(id=number, error={})
    elif name == "die":
        sys.exit(3)
    elif name == "die-loudly":
        sys.stderr.write("x" * 10000 + "the last words")
        sys.exit(4)
    elif name == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "nap":
        subprocess.Popen(["sleep", args["number"]])
        put(id=number, result=None)
    elif name == "garbage":
        raw("not json at all\n")
    elif name == "answer":
        raw(f'{{"id":{number},"result":{args["json"]}}}\n')
    elif name == "array":
        raw("[1]\n")
    elif name == "stranger":
        put(id=10**9, result=1)
    elif name == "both":
        put(id=number, result=1, error={"message": "x"})
    elif name == "twice":
        put(id=number, result="first")
        put(id=number, result="second")
    elif name == "flood":
        for _ in range(100000):
            put(id=1, result=None)
    elif name == "long":
        raw("x" * (9 * 1024 * 1024))
    elif name == "large":
        put(id=number, result="y" * (2 * 1024 * 1024))
    elif name == "deaf":
        os.close(0)
        note("deaf", "now")
        signal.pause()
    elif name == "mute":
        os.close(1)
        signal.pause()
    elif name == "freeze":
        note("frozen", "now")
        while not (FOLDER / "thaw").exists():
            pass
        put(id=number, result=None)
    elif name == "env":
        put(id=number, result=os.environ.get(args["name"]))
    elif name == "facts":
        put(id=number, result={
            "cwd": os.getcwd(), "uid": os.getuid(), "umask": os.umask(0o22), "fds": sorted(map(int, os.listdir("/proc/self/fd")))[:-1],
            "session": os.getsid(0) == os.getpid(), "run_id": "ABX_RUN_ID" in os.environ,
            "abx": [one for one in os.environ if one.startswith("ABX_") and one != "ABX_RUN_ID"], "pid": os.getpid()})
    elif name == "secret":
        put(id=number, result="told")


def main():
    how = (FOLDER / "how").read_text().splitlines()[0] if (FOLDER / "how").exists() else HOW
    note("starts", str(os.getpid()))
    held = {}
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        note("asked", line.strip())
        if message["method"] == "describe":
            describe(message["id"], how)
        elif message["method"] == "call":
            call(message["id"], message["name"], message["args"], held)
    note("ended", str(os.getpid()))


main()
