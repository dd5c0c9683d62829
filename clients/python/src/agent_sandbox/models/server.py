# SPDX-License-Identifier: Apache-2.0
"""The generated types of answers, with the names of earlier clients."""
from typing import Any

from .. import _generated
from .._generated import *
from ..capabilities import PathScope as PathScope
from ..capabilities import PathVerdict as PathVerdict
from ..capabilities import ServerCapabilities as ServerCapabilities

# Of a catalog that has files.watch.
ServerWatchEvent: Any = getattr(_generated, "FilesWatchEventEvent", None)
ShellEvent = _generated.CommandsStreamEvent
