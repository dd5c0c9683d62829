// SPDX-License-Identifier: Apache-2.0
// contract.mjs DIST URL GUARDED_URL BASE: all cases of tests/contract/cases.mjs, one line of JSON for each op.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { runAll } from "../../contract/cases.mjs";

const [dist, url, guardedUrl, base] = process.argv.slice(2);
const sandbox = await import(`${dist}/index.js`);
let count = 0;
const kit = (client) => ({
  file(name) {
    writeFileSync(`${base}/${name}`, new Uint8Array([0, 255, 13, 10]));
    return name;
  },
  text(name, content) {
    writeFileSync(`${base}/${name}`, content);
    return name;
  },
  repository() {
    const path = `${base}/repository${count++}`;
    mkdirSync(path);
    execFileSync("git", ["init", "-q", path]);
    writeFileSync(`${path}/new`, "x");
    return path;
  },
  show: (html) => client.browser.navigate({ url: `data:text/html,${html}`, wait_until: "load" }),
  process: async (command, more = {}) => (await client.process.start({ command, capture_output: true, ...more })).id,
  terminal: async (program = "sleep 60") => (await client.terminal.create({ argv: program.split(" ") })).session_id,
});
await runAll(sandbox, url, guardedUrl, kit, Object.keys(sandbox.catalog));
process.exit(0);
