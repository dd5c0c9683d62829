# SPDX-License-Identifier: Apache-2.0
"""
What can go wrong, one class for each kind.

`code` is the E-code of the class, `error_code` the dotted code that the server sent.  Everything that a
call can raise is a SandboxError, and all but a wrong use of a shell's result is a ServerAPIError.
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SandboxError(Exception):
    """The root of all errors of this package."""

    code = "E0000"

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        error_type: str | None = None,
        error_code: str | None = None,
        op: str | None = None,
        endpoint: str | None = None,
        rule: str | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status_code
        self.error_type = error_type
        self.error_code = error_code
        self.op = op
        self.endpoint = endpoint
        self.rule = rule
        self.request_id = request_id
        self.details: dict[str, Any] = dict(details or {})

    @property
    def status(self) -> int | None:
        """status_code under its shorter name."""
        return self.status_code

    def __str__(self) -> str:
        words = [f"[{self.code}]", f"{self.op}:" if self.op else "", self.message]
        facts = [part for part in (self.error_code, self.rule) if part]
        return " ".join(word for word in words if word) + (f" ({', '.join(facts)})" if facts else "")


class ServerAPIError(SandboxError):
    """The server refused or failed, in a way that no class below names."""

    code = "E3100"


class ServerAuthError(ServerAPIError):
    """The token is missing, wrong, expired, or two different ones were sent."""

    code = "E3101"


class PolicyDeniedError(ServerAPIError):
    """The policy does not allow it to this token; `rule` says which line."""

    code = "E3102"


class EndpointNotAvailableError(ServerAPIError):
    """The op is switched off, or the server has none of this name."""

    code = "E3103"


class OperationNotEnabledError(EndpointNotAvailableError):
    """The op is switched off on this server; `rule` says which line did it."""


class FilePolicyDeniedError(PolicyDeniedError):
    """The path is outside the allowed roots, denied, or read-only."""

    code = "E3104"


class LimitExceededError(ServerAPIError):
    """Too large, too many, or too often."""

    code = "E3105"


class ServerInstallError(ServerAPIError):
    """An installation failed or is under way."""

    code = "E3106"


class ServerAgentError(ServerAPIError):
    """An agent program failed."""

    code = "E3107"


class ServerUnavailableError(ServerAPIError):
    """Something that the op needs is not there for now."""

    code = "E3108"


class ServerInternalError(ServerAPIError):
    """A fault of the server."""

    code = "E3109"


class ContractMismatchError(ServerAPIError):
    """Client and server do not mean the same catalog; `server_version` is the server's, where it is known."""

    code = "E3110"
    server_version: str | None = None


class ServerArgumentError(ServerAPIError):
    """An argument is missing, unknown, or of a wrong type or value."""

    code = "E3111"


class ServerConfigError(ServerArgumentError):
    """The client itself is set up wrongly."""


class ServerConnectionError(ServerAPIError):
    """The server could not be reached, or the connection broke before the answer was there."""


class RequestTimeoutError(ServerAPIError):
    """The client's own request_timeout passed.  The call was given up, and the server ends what it ran."""


class StreamEndedError(ServerAPIError):
    """A stream ended without its last event: what it would have told is not known."""


class ExecutionError(ServerAPIError):
    """A command could not be started, or failed by itself."""

    code = "E3000"


class CommandTimeoutError(ExecutionError):
    """The command was ended by the server at its timeout; `details` holds what it had printed."""

    code = "E3001"


class ProcessError(ExecutionError):
    """check=True, and the command exited with another code than 0; `result` is its whole result."""

    code = "E3002"
    result: Any = None


class CommandNotFoundError(OperationNotEnabledError):
    """The template's author has no such command."""

    code = "E3005"


class FileOperationError(ServerAPIError):
    """The file system refused or failed."""

    code = "E4000"


class FileNotFoundError_(FileOperationError):
    """No such file or folder."""

    code = "E4001"


class PermissionDeniedError(FileOperationError):
    """The operating system refuses."""

    code = "E4002"


# Classes that share the code of their parent, on purpose; all others have one of their own.
SHARED_CODES: Mapping[str, str] = {
    "OperationNotEnabledError": "EndpointNotAvailableError",
    "ServerConfigError": "ServerArgumentError",
    "ServerConnectionError": "ServerAPIError",
    "RequestTimeoutError": "ServerAPIError",
    "StreamEndedError": "ServerAPIError",
}

__all__ = [
    "SHARED_CODES", "CommandNotFoundError", "CommandTimeoutError", "ContractMismatchError", "EndpointNotAvailableError",
    "ExecutionError", "FileNotFoundError_", "FileOperationError", "FilePolicyDeniedError", "LimitExceededError",
    "OperationNotEnabledError", "PermissionDeniedError", "PolicyDeniedError", "ProcessError", "RequestTimeoutError",
    "SandboxError", "ServerAPIError", "ServerAgentError", "ServerArgumentError", "ServerAuthError", "ServerConfigError",
    "ServerConnectionError", "ServerInstallError", "ServerInternalError", "ServerUnavailableError", "StreamEndedError",
]
