// SPDX-License-Identifier: Apache-2.0
// Calls over fetch: one request each, no retries, every failure an exception of this package.
import { errorFromAnswer } from "./answer.js";
import type { ServerCapabilities } from "./capabilities.js";
import * as errors from "./errors.js";
import { isNode } from "./node.js";
import { bind, type Body, type OpSpec } from "./op.js";
import { EventStream, type OpenStream } from "./stream.js";
import { unixFetch } from "./unix.js";

export interface CallOptions {
  /** Gives the call up; what ran for it is ended. */
  signal?: AbortSignal | undefined;
  /** Seconds for the whole of the call.  It is the client's own; the `timeout` of a command is the server's. */
  request_timeout?: number | undefined;
  /** The same key and arguments within an hour give the first answer again. */
  idempotency_key?: string | undefined;
  /** Only when this is still the tag of the file that is there. */
  if_match?: string | undefined;
  /** Throw ProcessError when the exit code is not 0. */
  check?: boolean | undefined;
}

export interface ClientOptions {
  /** The server's token, sent as Bearer. */
  token?: string | undefined;
  /** What a gateway in front of the server asks for; sent as X-Access-Token. */
  gateway_token?: string | undefined;
  gateway_headers?: Record<string, string> | undefined;
  /** Send the token as X-Access-Token, as v1 servers want it; discover() switches it on for them. */
  legacy_auth?: boolean | undefined;
  /** Seconds for the whole of each call; none by default. */
  request_timeout?: number | undefined;
  /** Refuse calls before discover() has told what is allowed. */
  strict?: boolean | undefined;
  /** Used instead of the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Used instead of the global WebSocket, which Node has from 22 on. */
  WebSocket?: typeof globalThis.WebSocket | undefined;
}

const BYTES = "application/octet-stream";

interface Sent {
  response: Response;
  /** The whole answer was read: time limit and signal do not matter any more. */
  release(): void;
  /** Ends the connection, whatever is left of the answer. */
  close(): void;
  /** Runs a step of reading the answer, with its failures translated. */
  guard<T>(step: () => Promise<T>): Promise<T>;
}

export class Caller {
  capabilities: ServerCapabilities | undefined;
  server_version: string | undefined;
  legacy_auth: boolean;
  readonly url: string;
  /** The path of a UNIX socket, where the URL names one. */
  readonly unix: string | undefined;
  private readonly base: string;
  private readonly fetcher: typeof globalThis.fetch;

  constructor(url: string, readonly options: ClientOptions, private readonly clientName: string) {
    this.url = url.replace(/\/+$/, "");
    this.legacy_auth = options.legacy_auth ?? false;
    if (!isUrl(this.url)) throw new errors.ServerConfigError(`the URL must be http://HOST:PORT, https://HOST or unix:/PATH, not '${url}'`);
    this.unix = this.url.startsWith("unix:") ? this.url.slice(5).replace(/^\/\//, "") : undefined;
    if (this.unix !== undefined && !isNode && !options.fetch) throw new errors.ServerConfigError("a browser has no UNIX sockets");
    this.base = this.unix === undefined ? this.url : "http://localhost";
    const given = options.fetch ?? (this.unix === undefined ? undefined : unixFetch(this.unix));
    // A browser's fetch wants no other `this` than the page.
    this.fetcher = (input, init) => (given ? given(input, init) : globalThis.fetch(input, init));
    if (options.token !== undefined && !/^[!-~]+$/.test(options.token))
      throw new errors.ServerConfigError("the token is empty, or holds characters that a header cannot carry");
    if (this.legacy_auth && options.gateway_token)
      throw new errors.ServerConfigError("legacy_auth and gateway_token would both send X-Access-Token");
    if (options.request_timeout !== undefined && !(options.request_timeout > 0))
      throw new errors.ServerConfigError("request_timeout must be greater than 0");
  }

  /** One credential for the server; the gateway's own headers beside it. */
  headers(): Record<string, string> {
    const { token, gateway_token } = this.options;
    const head: Record<string, string> = { "X-ABX-Client": this.clientName, ...this.options.gateway_headers };
    if (gateway_token) head["X-Access-Token"] = gateway_token;
    if (token && this.legacy_auth) head["X-Access-Token"] = token;
    else if (token) head["Authorization"] = `Bearer ${token}`;
    return head;
  }

  /** What discover() has told is consulted; without it nothing is asked. */
  gate(op: OpSpec): void {
    if (this.capabilities) this.capabilities.require(op.id);
    else if (this.options.strict && op.group !== "core")
      throw new errors.ServerConfigError("strict: discover() must be called before the first call", { op: op.id });
  }

  private failure(op: OpSpec, cause: unknown, timedOut: boolean, seconds: number | undefined, signal: AbortSignal | undefined): unknown {
    const facts = { op: op.id, endpoint: op.endpoint ?? undefined, cause };
    if (cause instanceof errors.SandboxError) return cause;
    if (timedOut)
      return new errors.RequestTimeoutError(
        `the client gave the call up after its own request_timeout of ${seconds} s; the server's 'timeout' had not passed`, facts);
    if (signal?.aborted) return signal.reason;
    const why = cause instanceof Error ? `${cause.message}${cause.cause instanceof Error ? `: ${cause.cause.message}` : ""}` : String(cause);
    return new errors.ServerConnectionError(
      `no answer from ${this.url} (${why}); whether the call took effect is not known, unless nothing could be sent`, facts);
  }

  /** Sends one request; the status of what comes back says success. */
  private async send_request(op: OpSpec, target: string, init: RequestInit, options: CallOptions): Promise<Sent> {
    try {
      new Headers(init.headers);
    } catch (cause) {
      throw new errors.ServerArgumentError(`the call cannot be sent: ${(cause as Error).message}`, {
        op: op.id, endpoint: op.endpoint ?? undefined, error_code: "args.invalid", cause,
      });
    }
    const controller = new AbortController();
    const seconds = options.request_timeout ?? this.options.request_timeout;
    let timedOut = false;
    const timer = seconds === undefined ? undefined : setTimeout(() => ((timedOut = true), controller.abort()), seconds * 1000);
    const leave = () => controller.abort(options.signal?.reason);
    const release = () => (clearTimeout(timer), options.signal?.removeEventListener("abort", leave));
    const close = () => (release(), controller.abort());
    const guard = async <T>(step: () => Promise<T>): Promise<T> => {
      try {
        return await step();
      } catch (cause) {
        const fault = this.failure(op, cause, timedOut, seconds, options.signal);
        close();
        throw fault;
      }
    };
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", leave, { once: true });
    const response = await guard(async () => {
      const answer = await this.fetcher(this.base + target, { ...init, signal: controller.signal, redirect: "manual", cache: "no-store" });
      this.note(answer);
      if (answer.status < 200 || answer.status >= 300)
        throw errorFromAnswer(op, answer.status, await answer.text(), answer.headers.get("x-request-id") ?? undefined, this.server_version);
      return answer;
    });
    return { response, release, close, guard };
  }

  private note(answer: Response): void {
    const [name, version] = (answer.headers.get("server") ?? "").split("/");
    if (name === "agent-sandbox-server" && version) this.server_version = version;
  }

  private init(op: OpSpec, params: object, options: CallOptions, accept: string): [string, RequestInit] {
    const request = bind(op, params);
    const headers: Record<string, string> = { ...this.headers(), Accept: accept };
    if (options.idempotency_key !== undefined) headers["Idempotency-Key"] = options.idempotency_key;
    if (options.if_match !== undefined) headers["If-Match"] = options.if_match;
    if (request.body === undefined) return [request.target, { method: request.method, headers }];
    headers["Content-Type"] = "application/json";
    return [request.target, { method: request.method, headers, body: JSON.stringify(request.body) }];
  }

  /** The whole answer, read. */
  private async whole<T>(sent: Sent, read: (response: Response) => Promise<T>): Promise<T> {
    const value = await sent.guard(() => read(sent.response));
    sent.release();
    return value;
  }

  private async result<T>(op: OpSpec, sent: Sent): Promise<T> {
    const text = await this.whole(sent, (response) => response.text());
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new errors.ContractMismatchError("the answer is no JSON", { op: op.id, endpoint: op.endpoint ?? undefined, cause });
    }
  }

  // What the generated methods call

  async json<T>(op: OpSpec, params: object, options: CallOptions = {}): Promise<T> {
    this.gate(op);
    const sent = await this.send_request(op, ...this.init(op, params, options, "application/json"), options);
    const result = await this.result<T>(op, sent);
    const code = (result as { exit_code?: number }).exit_code;
    if (options.check && typeof code === "number" && code !== 0) {
      const said = String((result as { stderr?: string }).stderr ?? "").trim().slice(-500);
      throw new errors.ProcessError(`the command exited with ${code}${said ? `: ${said}` : ""}`, {
        op: op.id, endpoint: op.endpoint ?? undefined, details: result as Record<string, unknown>,
      });
    }
    return result;
  }

  async fetch(op: OpSpec, params: object, options: CallOptions = {}): Promise<Uint8Array> {
    this.gate(op);
    const sent = await this.send_request(op, ...this.init(op, params, options, op.raw?.media_type ?? BYTES), options);
    return this.whole(sent, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /** The bytes of an answer as they come; leaving the loop ends the connection. */
  async *pieces(op: OpSpec, params: object, options: CallOptions & { start?: number; end?: number } = {}): AsyncGenerator<Uint8Array> {
    this.gate(op);
    const [target, init] = this.init(op, params, options, op.raw?.media_type ?? BYTES);
    const { start = 0, end } = options;
    if (!(Number.isSafeInteger(start) && start >= 0) || (end !== undefined && !(Number.isSafeInteger(end) && end >= start)))
      throw new errors.ServerArgumentError(`from ${start} to ${end} is no range of bytes`, {
        op: op.id, endpoint: op.endpoint ?? undefined, error_code: "args.invalid",
      });
    if (start === end) return;
    if (start || end !== undefined) (init.headers as Record<string, string>)["Range"] = `bytes=${start}-${end === undefined ? "" : end - 1}`;
    const sent = await this.send_request(op, target, init, options);
    const isPart = sent.response.status === 206; // who does not know ranges sends all of the file
    let at = isPart ? start : 0;
    try {
      const reader = sent.response.body?.getReader();
      while (isPart || end === undefined || at < end) {
        const piece = await sent.guard(async () => reader?.read());
        if (!piece || piece.done) return;
        const wanted = piece.value.subarray(Math.max(0, start - at), end === undefined ? undefined : Math.max(0, end - at));
        at += piece.value.length;
        if (wanted.length) yield wanted;
      }
    } finally {
      sent.close();
    }
  }

  async send<T>(op: OpSpec, params: object & { data?: Body }, options: CallOptions = {}): Promise<T> {
    const { data, ...args } = params;
    if (data === undefined) return this.json(op, args, options);
    this.gate(op);
    let fault: { why: unknown } | undefined;
    const [body, length, streams] = await prepared(op, data, (why) => (fault = { why }));
    this.check_size(op, length);
    const request = bind(op, args, true);
    const headers: Record<string, string> = { ...this.headers(), Accept: "application/json", "Content-Type": BYTES };
    if (options.if_match !== undefined) headers["If-Match"] = options.if_match;
    const init: RequestInit & { duplex?: string } = { method: request.method, headers, body, ...(streams ? { duplex: "half" } : {}) };
    try {
      return await this.result<T>(op, await this.send_request(op, request.target, init, options));
    } catch (cause) {
      throw fault ? fault.why : cause; // the server has nothing to do with what a body's maker throws
    }
  }

  /** What is known to be too large is not sent. */
  private check_size(op: OpSpec, length: number | undefined): void {
    const limit = this.capabilities?.limit(op.id, "max_bytes");
    if (limit !== undefined && length !== undefined && length > limit)
      throw new errors.LimitExceededError(`${length} bytes are more than the server's max_bytes of ${limit}`, {
        op: op.id, endpoint: op.endpoint ?? undefined, error_code: "limit.file_too_large", details: { max_bytes: limit, bytes: length },
      });
  }

  events<E extends { event: string }>(op: OpSpec, params: object, options: CallOptions = {}): EventStream<E> {
    this.gate(op);
    const [target, init] = this.init(op, params, options, "text/event-stream");
    return new EventStream<E>(op, async (): Promise<OpenStream> => {
      const sent = await this.send_request(op, target, init, options);
      const reader = sent.response.body?.getReader();
      const next = async (): Promise<IteratorResult<Uint8Array>> => {
        const piece = await sent.guard(async () => {
          try {
            return await reader?.read();
          } catch (cause) {
            if (options.signal?.aborted || (cause as Error | undefined)?.name === "AbortError") throw cause;
            throw new errors.StreamEndedError("the stream ended without its last event: the connection broke", { op: op.id, cause });
          }
        });
        return piece && !piece.done ? { done: false, value: piece.value } : { done: true, value: undefined };
      };
      return { body: { next }, close: sent.close };
    });
  }
}

function isUrl(url: string): boolean {
  if (url.startsWith("unix:")) return url.length > "unix:".length;
  try {
    return /^https?:\/\/[^/?#]+[^?#]*$/.test(url) && new URL(url).hostname !== "";
  } catch {
    return false;
  }
}

/** A body for fetch, its length where it is known, and whether it streams (browsers cannot, over HTTP/1.1). */
async function prepared(op: OpSpec, data: Body, onFault: (why: unknown) => void): Promise<[BodyInit, number | undefined, boolean]> {
  if (typeof data === "string") return prepared(op, new TextEncoder().encode(data), onFault);
  if (data instanceof Uint8Array) return [data as Uint8Array<ArrayBuffer>, data.byteLength, false];
  if (data instanceof ArrayBuffer) return [data, data.byteLength, false];
  if (data instanceof Blob) return [data, data.size, false];
  if (!(data instanceof ReadableStream) && typeof data?.[Symbol.asyncIterator] !== "function")
    throw new errors.ServerArgumentError("a body is bytes, a text, a Blob, a ReadableStream or an async iterable of bytes", { op: op.id });
  const stream = data instanceof ReadableStream ? data : streamOf(data, onFault);
  if (isNode) return [stream, undefined, true];
  const whole = await new Response(stream).arrayBuffer();
  return [whole, whole.byteLength, false];
}

function streamOf(pieces: AsyncIterable<Uint8Array>, onFault: (why: unknown) => void): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await iterator.next().catch((why: unknown) => {
        onFault(why);
        throw why;
      });
      if (piece.done) controller.close();
      else if (piece.value.byteLength) controller.enqueue(piece.value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  }, { highWaterMark: 1 });
}
