// SPDX-License-Identifier: Apache-2.0
// Streams of events, for loops that may be left at any time.
import { makeError } from "./answer.js";
import { ContractMismatchError, StreamEndedError } from "./errors.js";
import type { OpSpec } from "./op.js";
import { SSEParser, type RawEvent } from "./sse.js";

export interface OpenStream {
  body: AsyncIterator<Uint8Array>;
  close(): void;
}

/**
 * The events of one call, which begins with the first of them.  Leaving the loop or close() ends the
 * connection at once, and the server ends what ran for it.  A stream that ends without its last event
 * throws StreamEndedError; there is no silent reconnecting.
 */
export class EventStream<E extends { event: string }> implements AsyncIterableIterator<E> {
  /** Where the stream may be taken up again, for streams that can. */
  last_event_id: string | undefined;
  private opened: OpenStream | undefined;
  private parser = new SSEParser();
  private ready: RawEvent[] = [];
  private last: E | undefined;
  private done = false;

  constructor(private readonly op: OpSpec, private readonly open: () => Promise<OpenStream>) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<E, undefined>> {
    if (this.done) return { done: true, value: undefined };
    try {
      this.opened ??= await this.open();
      while (this.ready.length === 0) {
        const piece = await this.opened.body.next();
        if (piece.done) return this.end();
        this.ready.push(...this.parser.feed(piece.value));
      }
      return { done: false, value: this.event(this.ready.shift() as RawEvent) };
    } catch (fault) {
      const left = this.done; // while this waited: what the closing broke is no failure
      this.close();
      if (left) return { done: true, value: undefined };
      throw fault;
    }
  }

  async return(): Promise<IteratorResult<E, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    this.done = true;
    this.opened?.close();
    this.opened = undefined;
  }

  /** All events up to the last. */
  async collect(): Promise<E[]> {
    const events: E[] = [];
    for await (const event of this) events.push(event);
    return events;
  }

  /** The server closed: fine after the last event, an error after `error`, else broken. */
  private end(): IteratorResult<E, undefined> {
    const finals = this.op.finals ?? [];
    const last = this.last?.event ?? "";
    if (finals.length === 0 || finals.includes(last)) {
      this.close();
      return { done: true, value: undefined };
    }
    if (last === "error") throw makeError(this.op, undefined, this.last as unknown as Record<string, unknown>);
    throw new StreamEndedError("the stream ended without its last event; what it would have told is not known", {
      op: this.op.id, endpoint: this.op.endpoint ?? undefined,
    });
  }

  private event(raw: RawEvent): E {
    let data: unknown;
    try {
      data = JSON.parse(raw.data);
    } catch (cause) {
      throw new ContractMismatchError(`the event '${raw.name}' is no JSON`, { op: this.op.id, cause });
    }
    if (raw.id !== undefined) this.last_event_id = raw.id;
    this.last = { ...(data as object), event: raw.name } as E;
    return this.last;
  }
}
