// SPDX-License-Identifier: Apache-2.0
// What a server offers and allows, as discover() has told.  Nothing here asks the server.
import * as errors from "./errors.js";
import { catalog } from "./generated.js";
import type { OpSpec } from "./op.js";

interface Entry {
  enabled?: boolean;
  allowed?: boolean;
  rule?: string;
  limits?: Record<string, number | null>;
}

export interface PathScope {
  base: string;
  roots: string[];
  readonly: string[];
  deny: string[];
}

/** Groups of a v1 server that are off where it does not say. */
const LEGACY_OFF = ["dev_tools", "browser"];
const specs: Record<string, OpSpec> = catalog;

export class ServerCapabilities {
  /** A v1 server, which tells groups alone. */
  readonly legacy: boolean;
  readonly server_version: string | undefined;
  private readonly ops: Record<string, Entry> | undefined;
  private readonly endpoints: Record<string, Entry> | undefined;

  constructor(readonly raw: Record<string, unknown>) {
    this.ops = raw["ops"] as Record<string, Entry> | undefined;
    this.endpoints = raw["endpoints"] as Record<string, Entry> | undefined;
    this.legacy = !this.ops && !this.endpoints;
    this.server_version = (raw["server"] as { version?: string } | undefined)?.version;
  }

  private entry(id: string): Entry | undefined {
    const op = specs[id];
    if (this.ops) return this.ops[id];
    if (this.endpoints) return this.endpoints[op?.endpoint ?? ""];
    if (!op || (op.endpoint === null && op.group !== "core")) return undefined;
    const groups = (this.raw["groups"] ?? {}) as Record<string, boolean>;
    const on = groups[op.group] ?? !LEGACY_OFF.includes(op.group);
    return { enabled: on, allowed: on };
  }

  /** Whether the server has it and this token may call it. */
  can(op: string): boolean {
    const entry = this.entry(op);
    return entry !== undefined && entry.enabled !== false && entry.allowed !== false;
  }

  limit(op: string, name: string): number | undefined {
    return this.entry(op)?.limits?.[name] ?? undefined;
  }

  /** Where files may be reached; undefined where the server does not tell. */
  paths(): PathScope | undefined {
    return this.raw["paths"] as PathScope | undefined;
  }

  /** Throws what the call would throw, as far as it is known. */
  require(op: string): void {
    const entry = this.entry(op);
    const facts = { op, endpoint: specs[op]?.endpoint ?? undefined };
    if (!entry) {
      if (op.startsWith("custom.") || specs[op]?.group === "core") return;
      throw new errors.ContractMismatchError(`the server (version ${this.server_version ?? "unknown"}) has no op '${op}'`, {
        error_code: "op.unknown", ...facts,
      });
    }
    if (entry.enabled === false)
      throw new errors.OperationNotEnabledError(`'${op}' is switched off on this server`, {
        error_code: "op.not_enabled", rule: entry.rule, ...facts,
      });
    if (entry.allowed === false)
      throw new errors.PolicyDeniedError(`this token may not call '${op}'`, { error_code: "policy.scope_denied", rule: entry.rule, ...facts });
  }
}
