// SPDX-License-Identifier: Apache-2.0
// What the generated part is built on.
import type { Caller } from "./caller.js";

export type { CallOptions, Caller } from "./caller.js";
export type { Body, ErrorRow, OpSpec } from "./op.js";
export type { EventStream } from "./stream.js";

/** The ops below one dotted name. */
export class Namespace {
  constructor(protected readonly caller: Caller) {}
}
