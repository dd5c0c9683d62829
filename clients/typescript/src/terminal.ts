// SPDX-License-Identifier: Apache-2.0
// A terminal's WebSocket: typing, output, waiting for what is printed.
import { makeError } from "./answer.js";
import type { Caller } from "./caller.js";
import { RequestTimeoutError, ServerConfigError, ServerConnectionError, StreamEndedError } from "./errors.js";
import { bind, toBase64, type OpSpec } from "./op.js";

export interface TerminalMessage {
  type: string;
  event?: string;
  data?: string;
  exit_code?: number;
  [more: string]: unknown;
}

/**
 * One client of a session; the session lives on when it leaves.  Iterating gives messages up to the end of the
 * program; a connection that breaks before throws StreamEndedError.
 */
export class TerminalConnection implements AsyncIterableIterator<TerminalMessage> {
  exit_code: number | undefined;
  private socket: WebSocket | undefined;
  private queue: TerminalMessage[] = [];
  private waiting: (() => void) | undefined;
  private closed: CloseEvent | undefined;
  private text = "";
  private exited = false;

  constructor(private readonly caller: Caller, private readonly op: OpSpec, readonly session_id: string) {}

  async open(): Promise<this> {
    const Socket = this.caller.options.WebSocket ?? globalThis.WebSocket;
    const { unix } = this.caller;
    if (unix !== undefined && !this.caller.options.WebSocket)
      throw new ServerConfigError("over a UNIX socket a terminal needs a WebSocket that knows ws+unix:, handed in", { op: this.op.id });
    if (!Socket) throw new ServerConfigError("there is no WebSocket here: Node has one from 22 on, else hand one in", { op: this.op.id });
    this.caller.gate(this.op);
    const { token } = this.caller.options;
    const protocols = ["abx.pty.json"];
    if (token) {
      const encoded = toBase64(new TextEncoder().encode(token)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
      protocols.push(`abx.bearer.${encoded}`);
    }
    const target = bind(this.op, { session_id: this.session_id }).target;
    const address = unix === undefined ? this.caller.url.replace(/^http/, "ws") + target : `ws+unix:${unix}:${target}`;
    const socket = (this.socket = new Socket(address, protocols));
    socket.onmessage = (message: MessageEvent) => this.take(String(message.data));
    socket.onclose = (event: CloseEvent) => ((this.closed = event), this.wake());
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () =>
        reject(new ServerConnectionError(`cannot open the terminal at ${this.caller.url}: not reached, or refused`, { op: this.op.id }));
    });
    return this;
  }

  private take(frame: string): void {
    const message = JSON.parse(frame) as TerminalMessage;
    if (message.event === "exited") {
      this.exited = true;
      this.exit_code = message.exit_code;
    }
    this.queue.push(message);
    this.wake();
  }

  private wake(): void {
    this.waiting?.();
    this.waiting = undefined;
  }

  private write(message: object): void {
    if (!this.socket || this.closed) throw new ServerConfigError("the terminal is not connected", { op: this.op.id });
    this.socket.send(JSON.stringify(message));
  }

  send(data: string): void {
    this.write({ type: "input", data });
  }

  resize(cols: number, rows: number): void {
    this.write({ type: "resize", cols, rows });
  }

  /** To what runs in the foreground: SIGINT, SIGTERM, SIGKILL, SIGHUP or SIGQUIT. */
  signal(signal: string): void {
    this.write({ type: "signal", signal });
  }

  /** The next message; undefined behind the last. */
  async recv(timeout?: number): Promise<TerminalMessage | undefined> {
    if (this.text) {
      const data = this.text;
      this.text = "";
      return { type: "output", data };
    }
    return this.receive(timeout === undefined ? undefined : performance.now() + timeout * 1000);
  }

  private async receive(deadline: number | undefined): Promise<TerminalMessage | undefined> {
    for (;;) {
      const message = this.queue.shift();
      if (message) return message;
      if (this.closed) return this.end(this.closed);
      if (!this.socket) return undefined;
      await this.more(deadline);
    }
  }

  private more(deadline: number | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = deadline === undefined ? undefined : setTimeout(() => {
        this.waiting = undefined;
        reject(new RequestTimeoutError("nothing came in time", { op: this.op.id, details: { output: this.text } }));
      }, Math.max(0, deadline - performance.now()));
      this.waiting = () => (clearTimeout(timer), resolve());
    });
  }

  private end(closed: CloseEvent): undefined {
    if (closed.code === 1008 && closed.reason.includes("."))
      throw makeError(this.op, undefined, { error: `the server closed the terminal: ${closed.reason}`, wire_code: closed.reason });
    if (!this.exited) throw new StreamEndedError("the connection ended and the program had not", { op: this.op.id });
    return undefined;
  }

  /** Reads until the output matches; what stands behind the match is read next. */
  async expect(pattern: RegExp | string, timeout = 10): Promise<RegExpMatchArray> {
    const wanted = new RegExp(pattern instanceof RegExp ? pattern.source : pattern, pattern instanceof RegExp ? pattern.flags.replace(/[gy]/g, "") : "");
    const deadline = performance.now() + timeout * 1000;
    for (;;) {
      const found = wanted.exec(this.text);
      if (found) {
        this.text = this.text.slice(found.index + found[0].length);
        return found;
      }
      const message = await this.receive(deadline);
      if (!message)
        throw new StreamEndedError(`the program ended before '${wanted.source}' came`, { op: this.op.id, details: { output: this.text } });
      if (message.type === "output") this.text += message.data ?? "";
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<TerminalMessage, undefined>> {
    const message = await this.recv();
    return message ? { done: false, value: message } : { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<TerminalMessage, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    this.socket?.close();
    this.socket = undefined;
  }
}
