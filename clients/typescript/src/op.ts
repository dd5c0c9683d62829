// SPDX-License-Identifier: Apache-2.0
// What the catalog says of an op, and how arguments become a request.
import { ServerArgumentError } from "./errors.js";

export interface ParamSpec {
  name: string;
  in: string;
  type: string;
  required?: boolean;
  b64?: string;
  choices?: readonly string[];
  [more: string]: unknown;
}

export interface OpSpec {
  id: string;
  endpoint: string | null;
  group: string;
  scope: string | null;
  kind: string;
  method: string;
  path: string;
  also?: string;
  since?: string;
  effects?: { reads?: boolean; writes?: boolean; runs?: boolean; idempotent?: boolean };
  params: readonly ParamSpec[];
  one_of?: readonly (readonly string[])[];
  raw?: { request: boolean; response: boolean; multipart?: boolean; media_type: string | null };
  limits?: readonly { name: string; [more: string]: unknown }[];
  finals?: readonly string[];
  dynamic?: boolean;
}

export interface ErrorRow {
  status: number;
  code: string;
  type: string;
  exception: string;
  e_code: string;
}

/** Bytes to send: in memory, or as they are made. */
export type Body = Uint8Array | ArrayBuffer | Blob | string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface BoundRequest {
  method: string;
  target: string;
  body: Record<string, unknown> | undefined;
}

/** A path of characters that a URL triples goes by its twin, so that the request line stays below 8 KiB. */
const LONG_VALUE = 4096;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

const wrong = (op: OpSpec, message: string, error_code = "args.invalid"): ServerArgumentError =>
  new ServerArgumentError(message, { op: op.id, endpoint: op.endpoint ?? undefined, error_code });

const placeholders = (path: string): string[] => [...path.matchAll(/{(\w+)}/g)].map((found) => found[1] ?? "");

function fits(param: ParamSpec, value: unknown): boolean {
  switch (param.type) {
    case "any":
      return true;
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "choice":
      return typeof value === "string" && (!param.choices || param.choices.includes(value));
    default:
      return typeof value === "string" || (param.in === "path" && typeof value === "number");
  }
}

const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? toBase64(value) : Array.isArray(value) ? value.map(plain) : value;

const isKnown = (op: OpSpec, name: string): boolean => op.params.some((one) => one.name === name || one.b64 === name);

function checked(op: OpSpec, name: string, value: unknown): unknown {
  const sent = plain(value);
  const param = op.params.find((one) => one.name === name);
  if (!param || fits(param, sent)) return sent;
  const wanted = param.type === "choice" && param.choices ? `one of ${param.choices.join(", ")}` : `of type ${param.type}`;
  const got = param.type === "choice" && typeof value === "string" ? `'${value}'` : value === null || typeof value === "number" ? String(value) : typeof value;
  throw wrong(op, `the parameter '${name}' must be ${wanted}, not ${got}`);
}

/** The arguments in their places; undefined is "not given".  raw: the body is bytes, so all go into the query. */
export function bind(op: OpSpec, args: object, raw = false): BoundRequest {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const names = new Set(given.map(([name]) => name));
  const takesAny = op.dynamic && op.params.length === 0;
  const unknown = given.find(([name]) => !takesAny && !isKnown(op, name));
  if (unknown)
    throw wrong(op, `there is no parameter '${unknown[0]}'; there are: ${op.params.map((one) => one.name).join(", ") || "none"}`, "args.unknown");
  const fitting = [op.also, op.path].find((one) => one && placeholders(one).every((name) => names.has(name)));
  const missing = op.params.find((one) => one.required && !names.has(one.name) && !(one.b64 && names.has(one.b64)));
  if (missing || !fitting) throw wrong(op, `the parameter '${missing?.name ?? placeholders(op.path)[0]}' is required`, "args.missing");
  let path = fitting;
  const query: string[] = [];
  const body: Record<string, unknown> = {};
  const inQuery = raw || ["GET", "HEAD", "DELETE"].includes(op.method);
  for (const [name, value] of given) {
    const sent = checked(op, name, value);
    if (placeholders(path).includes(name)) path = path.replace(`{${name}}`, () => encoded(op, name, String(sent)));
    else if (inQuery) query.push(queryPart(op, name, String(sent)));
    else body[name] = sent;
  }
  return { method: op.method, target: path + (query.length ? `?${query.join("&")}` : ""), body: inQuery ? undefined : body };
}

function queryPart(op: OpSpec, name: string, value: string): string {
  const sent = encoded(op, name, value);
  const twin = op.params.find((one) => one.name === name)?.b64;
  if (twin && sent.length > LONG_VALUE) return `${twin}=${encodeURIComponent(toBase64(new TextEncoder().encode(value)))}`;
  return `${encodeURIComponent(name)}=${sent}`;
}

function encoded(op: OpSpec, name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    throw wrong(op, `the parameter '${name}' holds half a character, which cannot be sent`);
  }
}
