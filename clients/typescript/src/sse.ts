// SPDX-License-Identifier: Apache-2.0
// Server-sent events out of bytes that come in any pieces.
import { ContractMismatchError } from "./errors.js";

export interface RawEvent {
  name: string;
  data: string;
  id: string | undefined;
}

const LARGEST = 64 * 1024 * 1024;

/**
 * Feed it bytes, get the events that they completed.  Lines end with LF, CR LF or CR and with nothing else;
 * a character may be split between pieces.
 */
export class SSEParser {
  private decoder = new TextDecoder("utf-8"); // takes a byte order mark away
  private rest = "";
  private scanned = 0;
  private skipLf = false;
  private name = "";
  private data: string[] = [];
  private size = 0;
  private id: string | undefined;

  feed(piece: Uint8Array): RawEvent[] {
    this.rest += this.decoder.decode(piece, { stream: true });
    if (this.rest.length + this.size > LARGEST) throw new ContractMismatchError(`the stream holds an event of more than ${LARGEST} characters`);
    const events: RawEvent[] = [];
    let start = 0;
    for (;;) {
      if (this.skipLf && start < this.rest.length) {
        if (this.rest[start] === "\n") start++;
        this.skipLf = false;
      }
      const end = this.lineEnd(Math.max(start, this.scanned));
      if (end < 0) break;
      this.skipLf = this.rest[end] === "\r";
      const event = this.line(this.rest.slice(start, end));
      start = this.scanned = end + 1;
      if (event) events.push(event);
    }
    this.rest = this.rest.slice(start);
    this.scanned = this.rest.length;
    return events;
  }

  private lineEnd(from: number): number {
    for (let at = from; at < this.rest.length; at++) {
      const unit = this.rest.charCodeAt(at);
      if (unit === 10 || unit === 13) return at;
    }
    return -1;
  }

  private line(line: string): RawEvent | undefined {
    if (!line) return this.dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") {
      this.data.push(value);
      this.size += line.length;
    } else if (field === "event") this.name = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
    return undefined;
  }

  private dispatch(): RawEvent | undefined {
    const { name, data } = this;
    this.name = "";
    this.data = [];
    this.size = 0;
    return data.length ? { name: name || "message", data: data.join("\n"), id: this.id } : undefined;
  }
}
