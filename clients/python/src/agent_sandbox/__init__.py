# SPDX-License-Identifier: Apache-2.0
"""Client of agent-sandbox-server: the hands inside a sandbox."""
from . import errors
from ._client import ServerClient
from ._generated import CATALOG_DIGEST, CATALOG_VERSION, ops
from ._model import Event, Model, UnknownEvent
from ._op import OpRef
from ._stream import EventStream, SyncEventStream
from .capabilities import ServerCapabilities
from .errors import *  # noqa: F403
from .errors import __all__ as _error_names
from .sandbox import Sandbox
from .terminal import PtyConnection, TerminalMessage

__version__ = "0.1.0"
__all__ = [
    "CATALOG_DIGEST", "CATALOG_VERSION", "Event", "EventStream", "Model", "OpRef", "PtyConnection", "Sandbox", "ServerCapabilities",
    "ServerClient", "SyncEventStream", "TerminalMessage", "UnknownEvent", "errors", "ops", *_error_names,
]
