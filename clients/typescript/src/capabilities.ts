// SPDX-License-Identifier: Apache-2.0
// What a server offers and allows, as discover() has told.  Nothing here asks the server but check().
import * as errors from "./errors.js";
import { catalog, type CoreCheckResult } from "./catalog.js";
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

/** allowed is undefined where only the server can know. */
export interface PathVerdict {
  allowed: boolean | undefined;
  reason: string;
}

export type CheckParams = { path?: string | undefined; args?: object | undefined };

/** Groups of a v1 server that are off where it does not say. */
const LEGACY_OFF = ["dev_tools", "browser"];
const specs: Record<string, OpSpec> = catalog;

export class ServerCapabilities {
  /** A v1 server, which tells groups alone. */
  readonly legacy: boolean;
  readonly server_version: string | undefined;
  readonly catalog_digest: string | undefined;
  /** What the server can do beyond its ops. */
  readonly features: readonly string[];
  private readonly ops: Record<string, Entry> | undefined;
  private readonly endpoints: Record<string, Entry> | undefined;

  constructor(readonly raw: Record<string, unknown>, private readonly ask?: (op: string, params: CheckParams) => Promise<CoreCheckResult>) {
    this.ops = raw["ops"] as Record<string, Entry> | undefined;
    this.endpoints = raw["endpoints"] as Record<string, Entry> | undefined;
    this.legacy = !this.ops && !this.endpoints;
    this.server_version = (raw["server"] as { version?: string } | undefined)?.version;
    this.catalog_digest = raw["catalog_digest"] as string | undefined;
    this.features = (raw["features"] as string[] | undefined) ?? [];
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

  /** Asks the server whether a call would be let through, without its effect. */
  async check(op: string, params: CheckParams = {}): Promise<CoreCheckResult> {
    if (!this.ask) throw new errors.ServerConfigError("these capabilities came without a client that could ask");
    return this.ask(op, params);
  }

  /**
   * Whether a path lies where this token may reach, from what discover() told alone.  Links are not followed, so a
   * yes means that nothing speaks against it.
   */
  check_path(path: string, op: string): PathVerdict {
    if (!this.can(op)) return { allowed: false, reason: `'${op}' may not be called` };
    const scope = this.paths();
    if (!scope || this.legacy) return { allowed: undefined, reason: "the server does not tell its paths" };
    const full = absolute(path, scope.base);
    if (!scope.roots.some((root) => below(full, root))) return { allowed: false, reason: "outside the roots" };
    if (scope.deny.some((pattern) => covers(pattern, full, scope.base))) return { allowed: false, reason: "denied" };
    const effects = specs[op]?.effects;
    if ((effects?.writes || effects?.runs) && scope.readonly.some((pattern) => covers(pattern, full, scope.base)))
      return { allowed: false, reason: "read-only" };
    return { allowed: true, reason: "nothing speaks against it" };
  }

  /** Throws what the call would throw, as far as it is known. */
  require(op: string): void {
    const entry = this.entry(op);
    const facts = { op, endpoint: specs[op]?.endpoint ?? undefined };
    if (!entry) {
      if (op.startsWith("custom.") || specs[op]?.group === "core") return;
      throw new errors.ContractMismatchError(`the server (version ${this.server_version ?? "unknown"}) has no op '${op}'`, {
        error_code: "op.unknown", server_version: this.server_version, ...facts,
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

/** With "~" and relative paths at the base, without "." and "..". */
function absolute(path: string, base: string): string {
  const home = path === "~" || path.startsWith("~/") ? base + path.slice(1) : path;
  const parts: string[] = [];
  for (const part of (home.startsWith("/") ? home : `${base}/${home}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function below(path: string, root: string): boolean {
  const bare = root.replace(/\/+$/, "");
  return path === bare || path.startsWith(`${bare}/`);
}

/** Bytes as characters, one for each. */
function bytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/**
 * As the server decides it: "*" and "?" stand for bytes inside one name, "**" for any number of names, and a pattern
 * covers what it matches and all below.  Nothing else is special.
 */
function covers(pattern: string, path: string, base: string): boolean {
  const wanted = pattern.split("/")[0] === "**" ? pattern : absolute(pattern, base);
  const parts = bytes(wanted).split("/").filter((part) => part !== "" && part !== ".");
  return new RegExp(`^${parts.map(partSource).join("")}(?:/|$)`).test(bytes(path));
}

function partSource(part: string): string {
  if (part === "**") return "(?:/[^/]+)*?";
  return `/${part.replace(/[\\^$.|+(){}[\]]/g, "\\$&").replace(/\*/g, "[^/]*").replace(/\?/g, "[^/]")}`;
}
