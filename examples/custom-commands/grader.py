# SPDX-License-Identifier: Apache-2.0
"""Commands of a grading sandbox: `python -m agent_sandbox.worker grader.py`."""
from __future__ import annotations

import asyncio

from agent_sandbox.worker import command

SEEN: dict[str, int] = {}


@command(description="Grade a submission against the words that it should hold.")
def grade(submission: str, words: list[str], points: int = 10) -> dict[str, object]:
    """What is kept between calls is why this is a worker."""
    print("grading", len(submission), "characters")  # goes to standard error: the protocol is not disturbed
    SEEN[submission] = SEEN.get(submission, 0) + 1
    found = [word for word in words if word in submission]
    return {"points": points * len(found) // max(len(words), 1), "found": found, "times": SEEN[submission]}


@command(timeout=20)
async def wait(seconds: float = 0.1) -> str:
    """Wait a while, as for another service; other calls go on meanwhile."""
    await asyncio.sleep(seconds)
    return f"waited {seconds} s"


@command(hidden=True)
def reset() -> None:
    """Forget what was graded."""
    SEEN.clear()
