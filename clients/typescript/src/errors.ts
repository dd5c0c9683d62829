// SPDX-License-Identifier: Apache-2.0
// What can go wrong, one class for each kind.  `code` is the E-code, `error_code` the server's dotted code.

export interface ErrorFacts {
  status?: number | undefined;
  error_type?: string | undefined;
  error_code?: string | undefined;
  op?: string | undefined;
  endpoint?: string | undefined;
  rule?: string | undefined;
  request_id?: string | undefined;
  details?: Record<string, unknown> | undefined;
  server_version?: string | undefined;
  cause?: unknown;
}

export class SandboxError extends Error {
  static readonly code: string = "E0000";
  readonly status: number | undefined;
  readonly error_type: string | undefined;
  readonly error_code: string | undefined;
  readonly op: string | undefined;
  readonly endpoint: string | undefined;
  readonly rule: string | undefined;
  readonly request_id: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.status = facts.status;
    this.error_type = facts.error_type;
    this.error_code = facts.error_code;
    this.op = facts.op;
    this.endpoint = facts.endpoint;
    this.rule = facts.rule;
    this.request_id = facts.request_id;
    this.details = facts.details ?? {};
  }

  get code(): string {
    return (this.constructor as typeof SandboxError).code;
  }

  get status_code(): number | undefined {
    return this.status;
  }
}

/** The server refused or failed, in a way that no class below names. */
export class ServerAPIError extends SandboxError {
  static override readonly code: string = "E3100";
}
/** The token is missing, wrong, expired, or two different ones were sent. */
export class ServerAuthError extends ServerAPIError {
  static override readonly code: string = "E3101";
}
/** The policy does not allow it to this token. */
export class PolicyDeniedError extends ServerAPIError {
  static override readonly code: string = "E3102";
}
export class EndpointNotAvailableError extends ServerAPIError {
  static override readonly code: string = "E3103";
}
/** The op is switched off on this server. */
export class OperationNotEnabledError extends EndpointNotAvailableError {}
/** The path is outside the allowed roots, denied, or read-only. */
export class FilePolicyDeniedError extends PolicyDeniedError {
  static override readonly code: string = "E3104";
}
/** Too large, too many, or too often. */
export class LimitExceededError extends ServerAPIError {
  static override readonly code: string = "E3105";
}
export class ServerInstallError extends ServerAPIError {
  static override readonly code: string = "E3106";
}
export class ServerAgentError extends ServerAPIError {
  static override readonly code: string = "E3107";
}
export class ServerUnavailableError extends ServerAPIError {
  static override readonly code: string = "E3108";
}
export class ServerInternalError extends ServerAPIError {
  static override readonly code: string = "E3109";
}
/** Client and server do not mean the same catalog. */
export class ContractMismatchError extends ServerAPIError {
  static override readonly code: string = "E3110";
  /** The server's, where it is known. */
  readonly server_version: string | undefined;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts);
    this.server_version = facts.server_version;
  }
}
/** An argument is missing, unknown, or of a wrong type or value. */
export class ServerArgumentError extends ServerAPIError {
  static override readonly code: string = "E3111";
}
/** The client itself is set up wrongly. */
export class ServerConfigError extends ServerArgumentError {}
/** The server could not be reached, or the connection broke before the answer was there. */
export class ServerConnectionError extends ServerAPIError {}
/** The client's own request_timeout passed; the call was given up. */
export class RequestTimeoutError extends ServerAPIError {}
/** A stream ended without its last event: what it would have told is not known. */
export class StreamEndedError extends ServerAPIError {}
/** A command could not be started, or failed by itself. */
export class ExecutionError extends ServerAPIError {
  static override readonly code: string = "E3000";
}
/** The command was ended by the server at its timeout; `details` holds what it had printed. */
export class CommandTimeoutError extends ExecutionError {
  static override readonly code: string = "E3001";
}
/** check: true, and the command exited with another code than 0; `details` is its result. */
export class ProcessError extends ExecutionError {
  static override readonly code: string = "E3002";
}
export class CommandNotFoundError extends OperationNotEnabledError {
  static override readonly code: string = "E3005";
}
export class FileOperationError extends ServerAPIError {
  static override readonly code: string = "E4000";
}
export class FileNotFoundError_ extends FileOperationError {
  static override readonly code: string = "E4001";
}
export class PermissionDeniedError extends FileOperationError {
  static override readonly code: string = "E4002";
}
