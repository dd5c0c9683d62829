// SPDX-License-Identifier: Apache-2.0
// Node's own modules, where this runs in Node; nothing of them is needed elsewhere.
import { ServerConfigError } from "./errors.js";

export const isNode = typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === "string";

/** The name is put together here so that bundlers for browsers do not look for the module. */
export function node<T>(module: string): Promise<T> {
  if (!isNode) throw new ServerConfigError(`this needs Node's module '${module}'`);
  return import(`node:${module}`) as Promise<T>;
}
