# SPDX-License-Identifier: Apache-2.0
"""Answers of the server that are errors, as exceptions."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import errors
from ._op import Op

SLOW_WAYS = (
    "; a gateway on the way gave the call up before the server answered: for long commands use commands.stream, or "
    "process.start and process.output")

# What v1 servers and servers newer than this client say, when the dotted code does not decide.
BY_CODE: Mapping[str, type[errors.SandboxError]] = {
    "endpoint_disabled": errors.OperationNotEnabledError, "unknown_command": errors.CommandNotFoundError,
    "path_not_allowed": errors.FilePolicyDeniedError, "path_readonly": errors.FilePolicyDeniedError,
    "file_not_found": errors.FileNotFoundError_, "timeout": errors.CommandTimeoutError,
    "os_permission_denied": errors.PermissionDeniedError, "invalid_argument": errors.ServerArgumentError,
    "too_large": errors.LimitExceededError, "too_many": errors.LimitExceededError, "rate_limited": errors.LimitExceededError,
    "command_failed": errors.ExecutionError, "cannot_start": errors.ExecutionError,
}
BY_FAMILY: Mapping[str, type[errors.SandboxError]] = {
    "auth": errors.ServerAuthError, "policy": errors.PolicyDeniedError, "limit": errors.LimitExceededError,
    "install": errors.ServerInstallError, "agent": errors.ServerAgentError, "runtime": errors.ServerUnavailableError,
    "args": errors.ServerArgumentError, "files": errors.FileOperationError, "commands": errors.ExecutionError,
}
BY_TYPE: Mapping[str, type[errors.SandboxError]] = {
    "FileNotFoundError": errors.FileNotFoundError_, "FileExistsError": errors.FileOperationError,
    "NotADirectoryError": errors.FileOperationError, "IsADirectoryError": errors.FileOperationError,
    "OSError": errors.FileOperationError, "TimeoutError": errors.CommandTimeoutError, "AuthError": errors.ServerAuthError,
    "PermissionError": errors.PolicyDeniedError, "ResourceError": errors.LimitExceededError,
    "InstallError": errors.ServerInstallError, "AgentError": errors.ServerAgentError, "ValueError": errors.ServerArgumentError,
}
BY_STATUS: Mapping[int, type[errors.SandboxError]] = {
    400: errors.ServerArgumentError, 401: errors.ServerAuthError, 403: errors.PolicyDeniedError,
    413: errors.LimitExceededError, 422: errors.ServerArgumentError, 429: errors.LimitExceededError,
    500: errors.ServerInternalError, 503: errors.ServerUnavailableError,
}
GATEWAYS = (502, 504, 524)


def error_class(status: int | None, body: Mapping[str, Any]) -> type[errors.SandboxError]:
    """By the dotted code; without one that is known by the flat code, its family, the type, the status."""
    from ._generated import ERRORS

    wire_code = str(body.get("wire_code") or "")
    if wire_code in ERRORS:
        found: type[errors.SandboxError] = getattr(errors, ERRORS[wire_code].exception)
        return found
    family = wire_code.partition(".")[0]
    if family in BY_FAMILY:
        return BY_FAMILY[family]
    for table, key in ((BY_CODE, body.get("code")), (BY_TYPE, body.get("type"))):
        if isinstance(key, str) and key in table:
            return table[key]
    return BY_STATUS.get(status or 0, errors.ServerAPIError)


def make_error(
    op: Op | None, status: int | None, body: Mapping[str, Any], request_id: str | None = None, server: str | None = None,
) -> errors.SandboxError:
    kind = error_class(status, body)
    message = str(body.get("error") or body.get("message") or f"the server answered {status}")
    if kind is errors.ContractMismatchError:
        message += f"; the server is of version {server or 'unknown (discover() asks)'}"
    details = body.get("details")
    error = kind(
        message, status_code=status, error_type=_text(body.get("type")), error_code=_text(body.get("wire_code") or body.get("code")),
        op=_text(body.get("op")) or (op.id if op else None), endpoint=_text(body.get("endpoint")) or (op.endpoint if op else None),
        rule=_text(body.get("rule")), request_id=_text(body.get("request_id")) or request_id,
        details=details if isinstance(details, Mapping) else None)
    if isinstance(error, errors.ContractMismatchError):
        error.server_version = server
    return error


def error_from_response(
    op: Op | None, status: int, content: bytes, request_id: str | None = None, server: str | None = None,
) -> errors.SandboxError:
    """The exception for an answer with this status, whoever on the way it came from."""
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if isinstance(body, dict) and ("error" in body or "code" in body):
        return make_error(op, status, body, request_id, server)
    message = f"the answer is {status} without the server's body of an error" + (SLOW_WAYS if status in GATEWAYS else "")
    kind = errors.ServerAuthError if status == 401 else errors.ServerAPIError
    return kind(
        message, status_code=status, op=op.id if op else None, endpoint=op.endpoint if op else None, request_id=request_id,
        details={"body": content[:2000].decode("utf-8", "replace")})


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
