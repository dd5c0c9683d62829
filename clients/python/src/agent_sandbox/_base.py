# SPDX-License-Identifier: Apache-2.0
"""What the generated half is built on."""
from ._model import Event, Model
from ._namespace import Namespace, Root
from ._op import Body, BytesLike, ErrorRow, Op, OpRef, PathLike, Progress
from ._stream import EventStream, SyncEventStream

__all__ = [
    "Body", "BytesLike", "ErrorRow", "Event", "EventStream", "Model", "Namespace", "Op", "OpRef", "PathLike", "Progress", "Root",
    "SyncEventStream",
]
