// SPDX-License-Identifier: Apache-2.0
// One case for each op, by hand: [parameters of a call that works, a check of its answer, parameters of one that is
// refused, the class of the refusal].  Parameters may be a function of the kit; "stranger" is a caller without a token.
const stranger = Symbol("stranger");

/** A tar with one file: a header in ustar's form, the content, and two empty blocks. */
function tarOf(name, content) {
  const header = new Uint8Array(512);
  const put = (text, at) => header.set(new TextEncoder().encode(text), at);
  put(name, 0);
  put("0000644\0" + "0000000\0" + "0000000\0" + content.length.toString(8).padStart(11, "0") + "\0" + "00000000000\0", 100);
  put("        0", 148);
  put("ustar\x0000", 257);
  put(header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0") + "\0 ", 148);
  const tar = new Uint8Array(512 * 4);
  tar.set(header, 0);
  tar.set(new TextEncoder().encode(content), 512);
  return tar;
}

export const cases = {
  "core.health": [{}, (r) => r.status === "ok"],
  "core.capabilities": [{}, (r) => r.ops["files.list"].allowed, stranger, "ServerAuthError"],
  "core.check": [{ op: "files.stat", path: "." }, (r) => r.allowed, {}, "ServerArgumentError"],
  "core.describe": [{ id: "files.list" }, (r) => r.ops[0].id === "files.list", { id: "files.nothing" }, "ContractMismatchError"],
  "core.openapi": [{}, (r) => r.openapi.startsWith("3.1"), stranger, "ServerAuthError"],
  "core.reload": [{}, () => true, stranger, "ServerAuthError"],
  "custom.list": [{}, (r) => r.commands.length === 0, stranger, "ServerAuthError"],
  "files.list": [{ path: "." }, (r) => Array.isArray(r.entries), { path: "no" }, "FileNotFoundError_"],
  "files.stat": [{ path: "." }, (r) => r.exists, { path: "/etc/passwd" }, "FilePolicyDeniedError"],
  "files.mkdir": [{ path: "m/n", parents: true }, (r) => r.created, (k) => ({ path: k.file("m0") }), "FileOperationError"],
  "files.delete": [(k) => ({ path: k.file("d") }), (r) => r.deleted, { path: "no" }, "FileNotFoundError_"],
  "files.move": [(k) => ({ source: k.file("v"), destination: "w" }), (r) => r.destination.endsWith("/w"), { source: "no", destination: "x" }, "FileNotFoundError_"],
  "files.upload_stream": [{ path: "u", data: new Uint8Array([0, 255]) }, (r) => r.bytes === 2, { path: "no/u", data: "x" }, "FileNotFoundError_"],
  "files.download_stream": [(k) => ({ path: k.file("b") }), (r) => r[1] === 255, { path: "." }, "FileOperationError"],
  "files.upload": [{ path: "u2", data: "abc", mode: "600" }, (r) => r.bytes === 3, { path: "u3", data: "", mode: "9" }, "ServerArgumentError"],
  "files.download": [(k) => ({ path: k.file("b2") }), (r) => r.length === 4, { path: "no" }, "FileNotFoundError_"],
  "commands.run": [{ command: "echo hi; exit 3" }, (r) => r.stdout === "hi\n" && r.exit_code === 3, { command: "sleep 60", timeout: 0.2 }, "CommandTimeoutError"],
  "commands.stream": [{ command: "exit 3" }, (r) => r.at(-1).exit_code === 3, { argv: ["/no/such"] }, "ExecutionError"],
  "process.start": [{ command: "true" }, (r) => r.pid > 0, {}, "ServerArgumentError"],
  "process.list": [{}, (r) => Array.isArray(r.processes), stranger, "ServerAuthError"],
  "process.get": [async (k) => ({ pid: await k.process("sleep 60") }), (r) => r.state === "running", { pid: "nothing" }, "ServerAPIError"],
  "process.signal": [async (k) => ({ pid: await k.process("sleep 60"), signal: "SIGKILL" }), (r) => r.signal === "SIGKILL", { pid: "nothing", signal: 9 }, "ServerAPIError"],
  "process.stdin": [async (k) => ({ pid: await k.process("cat", { stdin: true }), data: "abc", eof: true }), (r) => r.bytes === 3, { pid: "nothing", data: "x" }, "ServerAPIError"],
  "process.output": [async (k) => ({ pid: await k.process("echo hi"), wait: 60 }), (r) => r.chunks[0].data === "hi\n", { pid: "nothing" }, "ServerAPIError"],
  "process.follow": [async (k) => ({ pid: await k.process("echo hi") }), (r) => r.at(-1).event === "exit", { pid: "nothing" }, "ServerAPIError"],
  "terminal.create": [{ argv: ["sleep", "60"] }, (r) => r.ws_url.startsWith("ws://"), { cols: 0 }, "ServerArgumentError"],
  "terminal.list": [{}, (r) => Array.isArray(r.sessions), stranger, "ServerAuthError"],
  "terminal.get": [async (k) => ({ id: await k.terminal() }), (r) => r.alive, { id: "nothing" }, "ServerAPIError"],
  "terminal.resize": [async (k) => ({ id: await k.terminal(), cols: 90, rows: 30 }), (r) => r.cols === 90, { id: "nothing", cols: 90, rows: 30 }, "ServerAPIError"],
  "terminal.delete": [async (k) => ({ id: await k.terminal() }), (r) => r.status === "closed", { id: "nothing" }, "ServerAPIError"],
  "terminal.connect": [async (k) => ({ session_id: await k.terminal("cat") }), (r) => r === "typed", { session_id: "nothing" }, "ServerAPIError"],
  "system.info": [{}, (r) => r.os === "Linux", stranger, "ServerAuthError"],
  "system.metrics": [{}, (r) => "network" in r, stranger, "ServerAuthError"],
  "system.env.get": [{ names: "PATH" }, (r) => r.variables.PATH, stranger, "ServerAuthError"],
  "system.env.set": [{ vars: { CONTRACT: "a", GONE: null } }, (r) => r.updated.length === 2, { vars: { LD_PRELOAD: "x" } }, "PolicyDeniedError"],
  "system.ports": [{}, (r) => r.listening.length > 0, stranger, "ServerAuthError"],
  "system.packages": [{ manager: "cargo" }, (r) => r.manager === "cargo", { manager: "brew" }, "ServerArgumentError"],
  "system.prometheus": [{}, (r) => r.text.includes("# TYPE"), stranger, "ServerAuthError"],
  "devtools.code.run": [{ code: "exit 3", language: "bash" }, (r) => r.exit_code === 3, { code: "", language: "cobol" }, "ServerArgumentError"],
  "devtools.git.status": [(k) => ({ path: k.repository() }), (r) => r.files[0].status === "untracked", { path: "no" }, "FileNotFoundError_"],
  "devtools.git.diff": [(k) => ({ path: k.repository() }), (r) => r.stats.files_changed === 0, { path: "/etc" }, "FilePolicyDeniedError"],
  "browser.navigate": [{ url: "data:text/html,<title>here</title>", wait_until: "load" }, (r) => r.title === "here" && r.status === null, { url: "file:///etc/passwd" }, "ServerArgumentError"],
  "browser.screenshot": [{ full_page: false }, (r) => r[0] === 0x89 && r[1] === 80, { quality: 5 }, "ServerArgumentError"],
  "browser.content": [async (k) => (await k.show("words"), { type: "text" }), (r) => r.content === "words", { type: "pdf" }, "ServerArgumentError"],
  "browser.click": [async (k) => (await k.show("<button>b</button>"), { selector: "button" }), (r) => r.clicked, { selector: "#no", timeout: 1 }, "ServerAPIError"],
  "browser.type": [async (k) => (await k.show("<input>"), { selector: "input", text: "text", delay: 0 }), (r) => r.typed && r.text === "text", { selector: "[", text: "x" }, "ServerArgumentError"],
  "browser.evaluate": [{ script: "[1, {a: null}]" }, (r) => r.result[1].a === null, { script: "throw 1" }, "ServerAPIError"],
  "browser.pdf": [{ format: "A5" }, (r) => r[0] === 37 && r[1] === 80, { format: "A9" }, "ServerArgumentError"],
  "browser.console": [async (k) => (await k.show("<script>console.log(7)</script>"), {}), (r) => r.logs.at(-1).text === "7", stranger, "ServerAuthError"],
  "files.search": [(k) => ({ path: ".", pattern: k.file("found.txt") }), (r) => r.results[0].name === "found.txt", { path: "no", pattern: "*" }, "FileNotFoundError_"],
  "files.watch": [{ path: ".", timeout: 0.2 }, (r) => r.at(-1).event === "end", { path: "no" }, "FileNotFoundError_"],
  "files.read": [(k) => ({ path: k.file("r"), encoding: "base64" }), (r) => r.content === "AP8NCg==", { path: "no" }, "FileNotFoundError_"],
  "files.write": [{ path: "wr", content: "text" }, (r) => r.bytes === 4, { path: "no/w", data: "x" }, "FileNotFoundError_"],
  "files.edit": [async (k) => ({ path: await k.text("e", "abc"), edits: [{ old: "b", new: "x" }] }), (r) => r.replacements === 1, { path: "no", edits: [{ old: "b", new: "x" }] }, "FileNotFoundError_"],
  "files.grep": [async (k) => ({ path: await k.text("g", "one\ntwo\n"), pattern: "t.o" }), (r) => r.matches[0].line === 2, { path: ".", pattern: "(" }, "ServerArgumentError"],
  "files.copy": [(k) => ({ source: k.file("c"), destination: "c2" }), (r) => r.destination.endsWith("/c2"), { source: "no", destination: "c3" }, "FileNotFoundError_"],
  "files.archive": [(k) => ({ paths: [k.file("ar")], format: "zip" }), (r) => r[0] === 80 && r[1] === 75, { paths: ["no"] }, "FileNotFoundError_"],
  "files.extract": [{ destination: "ex", data: tarOf("f", "hello") }, (r) => r.entries === 1 && r.bytes === 5, { destination: "ey", data: "no archive" }, "ServerArgumentError"],
  "files.chmod": [(k) => ({ path: k.file("h"), mode: "600" }), () => true, { path: ".", mode: "9" }, "ServerArgumentError"],
};

/** Calls both kinds of each case; one line of JSON for each op: {id, fault?, keys, error}. */
export async function runAll({ ServerClient }, url, guardedUrl, kit, ids) {
  const client = new ServerClient(url);
  const made = async (params) => (typeof params === "function" ? params(kit(client)) : params);
  const method = (on, id) => id.split(".").reduce((node, part) => {
    const found = node[part];
    return typeof found === "function" ? found.bind(node) : found;
  }, on);
  const finish = async (on, id, params) => {
    const answer = method(on, id)(params);
    if (typeof answer.collect === "function") return answer.collect();
    const result = await answer;
    if (id !== "terminal.connect") return result;
    result.send("typed\r");
    const found = (await result.expect("typed", 60))[0];
    result.close();
    return found;
  };
  for (const id of ids) {
    const line = { id };
    try {
      const [good, check, bad] = cases[id];
      const result = await finish(client, id, await made(good));
      if (!check(result)) line.fault = `not as it should be: ${JSON.stringify(result)}`;
      line.keys = result instanceof Uint8Array || Array.isArray(result) ? null : Object.keys(result);
      if (bad !== undefined) {
        try {
          const outside = bad === stranger;
          await finish(outside ? new ServerClient(guardedUrl) : client, id, outside ? (typeof good === "function" ? {} : good) : await made(bad));
          line.fault ??= "the refused call worked";
        } catch (error) {
          line.error = { name: error.name, code: error.code, error_code: error.error_code, op: error.op, message: error.message };
          line.wanted = cases[id][3];
        }
      }
    } catch (error) {
      line.fault = String(error.stack ?? error);
    }
    console.log(JSON.stringify(line));
  }
}
