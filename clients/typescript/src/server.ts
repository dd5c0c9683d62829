// SPDX-License-Identifier: Apache-2.0
// ServerClient: the tree of the catalog over one server.
import { Caller, type CallOptions, type ClientOptions } from "./caller.js";
import { ServerCapabilities, type CheckParams } from "./capabilities.js";
import { CATALOG_DIGEST, catalog, type CoreCheckResult, type CoreDescribeResult, type CoreHealthResult } from "./catalog.js";
import { CustomNamespace, Tree } from "./client.js";
import { ENDPOINT_METHODS } from "./compat.js";
import { CommandNotFoundError, ContractMismatchError, EndpointNotAvailableError, ServerArgumentError } from "./errors.js";
import { Commands, Files, Process, Terminal, type Range } from "./namespaces.js";
import type { OpSpec } from "./op.js";

const PACKAGE = "agent-sandbox-typescript/0.1.0";
const specs: Record<string, OpSpec> = catalog;

/** A name that the generated tree does not have: callable, with further names below it. */
export type DynamicNode = ((params?: object, options?: CallOptions) => Promise<any>) & { readonly [name: string]: DynamicNode };

/** The ops custom.*: list, and the template author's commands by their names. */
export class Custom extends CustomNamespace {
  constructor(caller: Caller, private readonly client: ServerClient) {
    super(caller);
  }

  /** A command by its name, for names that are no identifiers or are those of methods here. */
  call<T = any>(name: string, params: object = {}, options?: CallOptions): Promise<T> {
    return this.client.call(`custom.${name}`, params, options);
  }
}

/**
 * A client of one agent-sandbox-server.  Nothing is asked of it but the calls that are made, and one GET /ops
 * when a name is used that this package was not generated with.  No call is ever repeated.
 */
export class ServerClient extends Tree {
  /** Which methods answer which endpoint of v1. */
  static readonly ENDPOINT_METHODS = ENDPOINT_METHODS;
  override readonly files: Files;
  override readonly commands: Commands;
  override readonly process: Process;
  override readonly terminal: Terminal;
  /** The template author's commands: client.custom["grade"]({…}). */
  override readonly custom: Custom & { readonly [name: string]: DynamicNode };
  private known: Record<string, OpSpec> | undefined;

  constructor(url: string, options: ClientOptions = {}) {
    super(new Caller(url, options, `${PACKAGE}; catalog=${CATALOG_DIGEST}`));
    this.files = new Files(this.caller);
    this.commands = new Commands(this.caller);
    this.process = new Process(this.caller);
    this.terminal = new Terminal(this.caller);
    this.custom = customOf(this, this.caller);
  }

  get base_url(): string {
    return this.caller.url;
  }

  /** A namespace that the server has and this package does not know. */
  at(path: string): DynamicNode {
    return dynamic(this, path);
  }

  health(options?: CallOptions): Promise<CoreHealthResult> {
    return this.core.health({}, options);
  }

  /** The raw body of GET /capabilities. */
  capabilities(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.caller.json(catalog["core.capabilities"], {}, options);
  }

  /** Asks what is offered and allowed.  From then on calls that cannot succeed fail before they are sent. */
  async discover(options?: CallOptions): Promise<ServerCapabilities> {
    const found = new ServerCapabilities(await this.capabilities(options), (op, params) => this.check(op, params));
    if (found.legacy && !this.caller.options.gateway_token) this.caller.legacy_auth = true;
    this.caller.server_version = found.server_version ?? this.caller.server_version;
    return (this.caller.capabilities = found);
  }

  /** Asks the server whether a call would be let through, without its effect. */
  check(op: string, params: CheckParams = {}, options?: CallOptions): Promise<CoreCheckResult> {
    return this.core.check({ op, ...params }, options);
  }

  /** The catalog as this token may use it, custom commands among it. */
  async describe(op?: string, options?: CallOptions): Promise<CoreDescribeResult> {
    const found = await this.core.describe(op === undefined ? {} : { id: op }, options);
    if (op === undefined) {
      this.known = Object.fromEntries((found.ops as OpSpec[]).map((spec) => [spec.id, spec]));
      this.caller.server_version = found.server_version;
    }
    return found;
  }

  /** Any op by its id, as JSON; streams give their events. */
  async call<T = any>(id: string, params: object = {}, options?: CallOptions): Promise<T> {
    const op = specs[id] ?? (await this.lookup(id));
    if (op.kind === "ws") throw new ServerArgumentError(`'${id}' is a connection and not a call`, { op: id });
    if (op.kind === "sse") return this.caller.events(op, params, options) as T;
    const result = await this.caller.json<{ result?: unknown }>(op, params, options);
    return (op.dynamic && id.startsWith("custom.") ? result.result : result) as T;
  }

  /** The bytes of a file as they come; leaving the loop ends the connection. */
  iter_bytes(path: string, options: CallOptions & Range = {}): AsyncGenerator<Uint8Array> {
    return this.files.iter_bytes({ path }, options);
  }

  /** An op that this package was not generated with.  What failed is not remembered. */
  private async lookup(id: string): Promise<OpSpec> {
    const custom = id.startsWith("custom.");
    if (!this.known) {
      try {
        await this.describe();
      } catch (fault) {
        if (!custom || !(fault instanceof ContractMismatchError || fault instanceof EndpointNotAvailableError)) throw fault;
        return v1Command(id);
      }
    }
    const found = this.known?.[id];
    if (found) return found;
    if (custom) {
      const there = Object.values(this.known ?? {}).filter((one) => one.dynamic && one.id.startsWith("custom.")).map((one) => one.id.slice(7));
      throw new CommandNotFoundError(`there is no custom command '${id.slice(7)}'; there are: ${there.sort().join(", ") || "none"}`, {
        op: id, error_code: "custom.unknown_command",
      });
    }
    throw new ContractMismatchError(`the server (version ${this.caller.server_version ?? "unknown"}) offers no op '${id}' to this token`, {
      op: id, error_code: "op.unknown", server_version: this.caller.server_version,
    });
  }
}

/** A v1 server has no GET /ops; its commands take whatever they are given. */
function v1Command(id: string): OpSpec {
  return {
    id, endpoint: "run_command", group: "commands", scope: "commands:run", kind: "json", method: "POST",
    path: `/commands/${encodeURIComponent(id.slice(7))}`, params: [], dynamic: true,
  };
}

/** Any name but those of its own methods is a command's. */
function customOf(client: ServerClient, caller: Caller): ServerClient["custom"] {
  const own = new Custom(caller, client);
  return new Proxy(own, {
    get: (_, name) => {
      if (name === "list" || name === "call") return own[name].bind(own);
      return typeof name === "symbol" || name === "then" ? undefined : dynamic(client, `custom.${name}`);
    },
  }) as ServerClient["custom"];
}

function dynamic(client: ServerClient, path: string): DynamicNode {
  const call = (params: object = {}, options?: CallOptions) => client.call(path, params, options);
  return new Proxy(call, {
    get: (target, name) => (typeof name === "symbol" || name === "then" ? Reflect.get(target, name) : dynamic(client, `${path}.${name}`)),
  }) as unknown as DynamicNode;
}
