// SPDX-License-Identifier: Apache-2.0
export type { CallOptions, ClientOptions } from "./caller.js";
export { ServerCapabilities, type CheckParams, type PathScope, type PathVerdict } from "./capabilities.js";
export * from "./catalog.js";
export * from "./client.js";
export { ENDPOINT_METHODS } from "./compat.js";
export * from "./errors.js";
export { Commands, Files, Process, Terminal, type StreamOptions } from "./namespaces.js";
export type { Body, OpSpec } from "./op.js";
export { Custom, ServerClient, type DynamicNode } from "./server.js";
export { SSEParser } from "./sse.js";
export { EventStream } from "./stream.js";
export { TerminalConnection, type TerminalMessage } from "./terminal.js";
