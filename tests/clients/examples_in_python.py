# SPDX-License-Identifier: Apache-2.0
"""
Runs Python examples as `python -m asyncio` would: a list of texts from standard input, the first of which is the
setup; for each of the others {"out": what it printed, "fault": what it raised}, as one JSON list.
"""
import ast
import asyncio
import inspect
import json
import sys
import traceback


def plain(value):
    return value.to_dict() if hasattr(value, "to_dict") else getattr(value, "__dict__", None) or str(value)


async def run(text, names):
    code = compile(text, "example", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(code, names)  # noqa: S307 (our own pages)
    if inspect.isawaitable(result):
        await result


async def main():
    setup, *examples = json.load(sys.stdin)
    done, printed, names = [], [], {"print": lambda value: printed.append(value)}
    await run(setup, names)
    for text in examples:
        printed.clear()
        fault = None
        try:
            await run(text, dict(names))
        except Exception:
            fault = traceback.format_exc()
        done.append({"out": list(printed), "fault": fault})
    json.dump(done, sys.stdout, default=plain)


asyncio.run(main())
