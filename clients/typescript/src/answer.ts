// SPDX-License-Identifier: Apache-2.0
// Answers of the server that are errors, as exceptions.
import * as errors from "./errors.js";
import { errorTable } from "./catalog.js";
import type { OpSpec } from "./op.js";

type Kind = new (message: string, facts?: errors.ErrorFacts) => errors.SandboxError;

const SLOW_WAYS =
  "; a gateway on the way gave the call up before the server answered: for long commands use commands.stream, or " +
  "process.start and process.output";
const byCode: Record<string, Kind> = {
  endpoint_disabled: errors.OperationNotEnabledError, unknown_command: errors.CommandNotFoundError,
  path_not_allowed: errors.FilePolicyDeniedError, path_readonly: errors.FilePolicyDeniedError,
  file_not_found: errors.FileNotFoundError_, timeout: errors.CommandTimeoutError, too_large: errors.LimitExceededError,
  too_many: errors.LimitExceededError, rate_limited: errors.LimitExceededError, invalid_argument: errors.ServerArgumentError,
  os_permission_denied: errors.PermissionDeniedError, command_failed: errors.ExecutionError, cannot_start: errors.ExecutionError,
};
const byFamily: Record<string, Kind> = {
  auth: errors.ServerAuthError, policy: errors.PolicyDeniedError, limit: errors.LimitExceededError, install: errors.ServerInstallError,
  agent: errors.ServerAgentError, runtime: errors.ServerUnavailableError, args: errors.ServerArgumentError,
  files: errors.FileOperationError, commands: errors.ExecutionError,
};
const byType: Record<string, Kind> = {
  FileNotFoundError: errors.FileNotFoundError_, FileExistsError: errors.FileOperationError, OSError: errors.FileOperationError,
  NotADirectoryError: errors.FileOperationError, IsADirectoryError: errors.FileOperationError,
  TimeoutError: errors.CommandTimeoutError, AuthError: errors.ServerAuthError, PermissionError: errors.PolicyDeniedError,
  ResourceError: errors.LimitExceededError, InstallError: errors.ServerInstallError, AgentError: errors.ServerAgentError,
  ValueError: errors.ServerArgumentError,
};
const byStatus: Record<number, Kind> = {
  400: errors.ServerArgumentError, 401: errors.ServerAuthError, 403: errors.PolicyDeniedError, 413: errors.LimitExceededError,
  422: errors.ServerArgumentError, 429: errors.LimitExceededError, 500: errors.ServerInternalError, 503: errors.ServerUnavailableError,
};

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function kindOf(status: number | undefined, body: Record<string, unknown>): Kind {
  const wireCode = text(body["wire_code"]) ?? "";
  const row = Object.hasOwn(errorTable, wireCode) ? errorTable[wireCode] : undefined;
  if (row) return (errors as unknown as Record<string, Kind>)[row.exception] ?? errors.ServerAPIError;
  return (
    byFamily[wireCode.split(".")[0] ?? ""] ?? byCode[text(body["code"]) ?? ""] ?? byType[text(body["type"]) ?? ""] ??
    byStatus[status ?? 0] ?? errors.ServerAPIError
  );
}

export function makeError(
  op: OpSpec | undefined, status: number | undefined, body: Record<string, unknown>, requestId?: string, server?: string,
): errors.SandboxError {
  const Kind = kindOf(status, body);
  let message = text(body["error"]) ?? text(body["message"]) ?? `the server answered ${status}`;
  if (Kind === errors.ContractMismatchError) message += `; the server is of version ${server ?? "unknown (discover() asks)"}`;
  const details = body["details"];
  return new Kind(message, {
    status, error_type: text(body["type"]), error_code: text(body["wire_code"]) ?? text(body["code"]),
    op: text(body["op"]) ?? op?.id, endpoint: text(body["endpoint"]) ?? op?.endpoint ?? undefined, rule: text(body["rule"]),
    request_id: text(body["request_id"]) ?? requestId, server_version: server,
    details: typeof details === "object" && details !== null ? (details as Record<string, unknown>) : undefined,
  });
}

export function errorFromAnswer(op: OpSpec, status: number, content: string, requestId?: string, server?: string): errors.SandboxError {
  let body: unknown;
  try {
    body = JSON.parse(content);
  } catch {
    body = undefined;
  }
  if (typeof body === "object" && body !== null && ("error" in body || "code" in body))
    return makeError(op, status, body as Record<string, unknown>, requestId, server);
  const slow = [502, 504, 524].includes(status) ? SLOW_WAYS : "";
  const Kind = status === 401 ? errors.ServerAuthError : errors.ServerAPIError;
  return new Kind(`the answer is ${status} without the server's body of an error${slow}`, {
    status, op: op.id, endpoint: op.endpoint ?? undefined, request_id: requestId, details: { body: content.slice(0, 2000) },
  });
}
