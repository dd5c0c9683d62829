// SPDX-License-Identifier: Apache-2.0
// Writes src/catalog.ts and src/client.ts out of a released catalog whose digest is that of its ops, and prints the digest.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/** What the digest is of: sorted keys, no blanks, no texts. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value).filter((key) => key !== "description" && key !== "example");
  return `{${members.sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

function fail(message) {
  console.error(`sync-catalog: ${message}`);
  process.exit(1);
}

const [path] = process.argv.slice(2);
if (!path) fail("usage: sync-catalog agent-sandbox-server-catalog-VERSION.json");
const catalog = JSON.parse(readFileSync(path, "utf8"));
const digest = `sha256:${createHash("sha256").update(canonical(catalog.ops)).digest("hex")}`;
const sources = ["catalog.ts", "client.ts"].map((name) => [name, catalog.clients?.typescript?.[name]]);
if (digest !== catalog.digest) fail(`${path}: its ops are not those of its digest`);
if (!sources.every(([, source]) => source?.includes(`digest ${digest}\n`))) fail(`${path}: it has no TypeScript of this digest`);
for (const [name, source] of sources) writeFileSync(new URL(`../src/${name}`, import.meta.url), source);
console.log(`${catalog.server_version} ${digest}`);
