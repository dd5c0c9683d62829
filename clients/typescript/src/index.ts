// SPDX-License-Identifier: Apache-2.0
export type { CallOptions, ClientOptions } from "./caller.js";
export { ServerCapabilities, type PathScope } from "./capabilities.js";
export { Custom, ServerClient, Terminal, type DynamicNode } from "./client.js";
export * from "./errors.js";
export * from "./generated.js";
export type { Body, OpSpec } from "./op.js";
export { SSEParser } from "./sse.js";
export { EventStream } from "./stream.js";
export { TerminalConnection, type TerminalMessage } from "./terminal.js";
