# SPDX-License-Identifier: Apache-2.0
"""The generated types of answers, with the names of earlier clients."""
from .. import _generated
from .._generated import *
from ..capabilities import PathScope as PathScope
from ..capabilities import PathVerdict as PathVerdict
from ..capabilities import ServerCapabilities as ServerCapabilities
from ..terminal import PtyConnection as PtyConnection
from ..terminal import TerminalMessage as TerminalMessage

ServerWatchEvent = _generated.FilesWatchEventEvent
ShellEvent = _generated.CommandsStreamEvent
