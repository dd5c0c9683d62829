// SPDX-License-Identifier: Apache-2.0
// checks.mjs DIST NAME ARGUMENTS…: one piece of work; prints one line of JSON: {value} or {error}.
// checks.mjs DIST serve: the same for each line ["NAME", ARGUMENTS…] of standard input.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [dist, name, ...rest] = process.argv.slice(2);
const { ServerClient, SSEParser, StreamEndedError, ops, errorTable, catalog } = await import(`${dist}/index.js`);

const checks = {
  parse(path) {
    const bytes = readFileSync(path);
    const seen = new Set();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const parser = new SSEParser();
      seen.add(JSON.stringify([...parser.feed(bytes.subarray(0, cut)), ...parser.feed(bytes.subarray(cut))]));
    }
    const parser = new SSEParser();
    seen.add(JSON.stringify([...bytes].flatMap((byte) => parser.feed(new Uint8Array([byte])))));
    return [...seen].map((text) => JSON.parse(text));
  },
  stream: async (url, command) => new ServerClient(url).commands.stream({ command }).collect(),
  async leave(url, how, ...argv) {
    const client = new ServerClient(url);
    const controller = new AbortController();
    const stream = client.commands.stream({ argv }, how === "signal" ? { signal: controller.signal } : {});
    if (how === "break") {
      for await (const event of stream) if (event.event === "start") break;
    } else {
      await stream.next();
      if (how === "close") {
        const waiting = stream.next();
        stream.close();
        if (!(await waiting).done) throw new Error("the stream goes on");
      } else {
        const waiting = stream.next();
        controller.abort();
        await waiting.catch((fault) => { if (fault.name !== "AbortError") throw fault; });
      }
    }
    process.stdout.write("left\n");
    await new Promise((resolve) => process.stdin.once("data", resolve)); // the connection is closed by us and not by our end
    return true;
  },
  async abort(url, ...argv) {
    const controller = new AbortController();
    const call = new ServerClient(url).commands.run({ argv }, { signal: controller.signal });
    const fault = call.catch((error) => error.message);
    await new Promise((resolve) => process.stdin.once("data", resolve));
    controller.abort(new Error("mine"));
    process.stdout.write("left\n");
    await new Promise((resolve) => process.stdin.once("data", resolve));
    return fault;
  },
  /** Prints each event's name; ends with the error. */
  async told_as_it_comes(url, ...argv) {
    for await (const event of new ServerClient(url).commands.stream({ argv })) process.stdout.write(`${event.event}\n`);
  },
  run: async (url, params, options) => new ServerClient(url, JSON.parse(options ?? "{}")).commands.run(JSON.parse(params)),
  limited: async (url, argv) => new ServerClient(url).commands.run({ argv: JSON.parse(argv), timeout: 0 }, { request_timeout: 0.5 }),
  async bytes(url, local, remote, back) {
    const client = new ServerClient(url);
    const data = new Uint8Array(readFileSync(local));
    await client.files.upload({ path: remote, data });
    writeFileSync(back, await client.files.download({ path: remote }));
    async function* parts() {
      for (let at = 0; at < data.length; at += 1000) yield data.subarray(at, at + 1000);
    }
    await client.files.upload_stream({ path: `${remote}2`, data: parts() });
    const pieces = [];
    for await (const piece of client.iter_bytes(`${remote}2`, { start: 5, end: 1000 })) pieces.push(...piece);
    return pieces.length;
  },
  stat: async (url, options) => new ServerClient(url, JSON.parse(options ?? "{}")).files.stat({ path: "x" }),
  setup: (url, options) => void new ServerClient(url, JSON.parse(options)),
  codes: () => Object.keys(errorTable),
  ids: () => Object.keys(catalog),
  async discover(url) {
    const client = new ServerClient(url, { token: "t" });
    const caps = await client.discover();
    const facts = { legacy: caps.legacy, list: caps.can(ops.files.list), run: caps.can(ops.commands.run), custom: await client.custom.grade({ a: 1 }) };
    await client.files.list({ path: "/x" });
    try {
      await client.commands.run({ command: "x" });
    } catch (error) {
      facts.refused = error.name;
    }
    return facts;
  },
  async custom(url) {
    const client = new ServerClient(url);
    const name = (error) => [error.name, error.error_code, error.error_type];
    return {
      listed: (await client.custom.list()).commands.map((one) => one.name),
      echo: (await client.custom.echo({ text: "x", items: [1] })).items,
      call: await client.custom.call("secret"),
      id: await client.call("custom.twice"),
      odd: await client.custom["fail-oddly"]().catch(name),
      fail: await client.custom.fail({ type: "KeyError" }).catch(name),
      wrong: await client.custom.echo({ txt: "x" }).catch(name),
      nothing: await client.custom.nothing().catch(name),
      check: (await client.check("custom.echo", { args: {} })).wire_code,
    };
  },
  async later(url) {
    const client = new ServerClient(url);
    const first = await client.custom.nothing().catch((error) => error.name);
    process.stdout.write(`${first}\n`);
    await new Promise((resolve) => process.stdin.once("data", resolve));
    return client.health();
  },
  methods() {
    const client = new ServerClient("http://127.0.0.1:1");
    const is = (path) => typeof path.split(".").reduce((node, part) => node?.[part], client) === "function";
    const there = (name) => is(name.replace("<name>", "x"));
    return Object.fromEntries(Object.entries(ServerClient.ENDPOINT_METHODS).map(([endpoint, names]) => [endpoint, names.filter((name) => !there(name))]));
  },
  async verdicts(url, options, asked) {
    const caps = await new ServerClient(url, JSON.parse(options)).discover();
    return JSON.parse(asked).map(([path, op]) => caps.check_path(path, op).allowed ?? null);
  },
  async asks(url) {
    const caps = await new ServerClient(url).discover();
    return [(await caps.check(ops.files.stat, { path: "/etc/passwd" })).wire_code, caps.features, caps.catalog_digest];
  },
  async whole(url, local, remote, back) {
    const client = new ServerClient(url);
    const before = await client.files.exists({ path: remote });
    const sent = await client.files.upload_file(local, { path: remote });
    const done = await client.files.download_file({ path: remote }, back);
    const failed = await client.files.download_file({ path: `${remote}.no` }, `${back}.no`).catch((error) => error.name);
    return [before, await client.files.exists({ path: remote }), sent.bytes, done, failed, await client.files.read_text({ path: remote })];
  },
  async ranges(url, path, ranges) {
    const client = new ServerClient(url);
    const one = async ([start, end]) => {
      const pieces = [];
      for await (const piece of client.files.iter_bytes({ path }, { start, end: end ?? undefined })) pieces.push(...piece);
      return String.fromCharCode(...pieces);
    };
    const seen = [];
    for (const range of JSON.parse(ranges)) seen.push(await one(range).catch((error) => `${error.name} ${error.error_code}`));
    return seen;
  },
  async bodies(url, path) {
    const client = new ServerClient(url);
    async function* failing() {
      yield new Uint8Array(10);
      throw new Error("mine");
    }
    return [
      await client.files.upload({ path, data: failing() }).catch((error) => error.message),
      await client.files.upload_file("/nowhere/at/all", { path }).catch((error) => error.code),
      await client.files.upload({ path, data: [1, 2] }).catch((error) => error.name),
      await client.files.stat({ path: "a\udc80" }).catch((error) => error.name),
      await client.process.start({ command: "true" }, { idempotency_key: "a\nb" }).catch((error) => error.name),
      await client.files.exists({ path }),
    ];
  },
  download: async (url, path, local) => new ServerClient(url).files.download_file({ path }, local),
  async watched(url, path) {
    const client = new ServerClient(url);
    const quiet = await client.files.watch_for({ path }, 0.1);
    let over = false;
    const watching = client.files.watch_for({ path, max_events: 5 }, 100).finally(() => (over = true));
    while (!over) await client.files.upload({ path: `${path}/later`, data: "x" });
    return [quiet, [...new Set((await watching).map((event) => event.name))]];
  },
  async told(url) {
    const client = new ServerClient(url);
    const out = [], err = [];
    const on = { on_stdout: (text) => void out.push(text), on_stderr: async (text) => void err.push(text) };
    const exit = await client.commands.run_stream({ command: "echo one; echo two >&2; exit 3" }, on);
    const failed = await client.commands.run_stream({ command: "exit 4" }, { check: true }).catch((error) => [error.name, error.details.exit_code]);
    const { pid } = await client.process.start({ command: "echo a; echo b >&2; exec sleep 60", capture_output: true });
    const { signal } = await client.process.kill({ pid });
    const events = await client.process.follow_all({ pid });
    return [out.join(""), err.join(""), exit.exit_code, failed, signal, events.at(-1).event, await client.process.read_all({ pid })];
  },
  /** Follows a process through a connection that breaks again and again. */
  async resumed(direct, broken, command) {
    const { pid } = await new ServerClient(direct).process.start({ command, capture_output: true });
    const client = new ServerClient(broken);
    const text = [];
    let since = 0, breaks = 0;
    for (;;) {
      const stream = client.process.follow({ pid, since });
      try {
        for await (const event of stream) {
          if (event.event === "chunk") text.push(event.data);
          if (event.event === "exit") return { text: text.join(""), exit_code: event.exit_code, breaks };
        }
      } catch (error) {
        if (!(error instanceof StreamEndedError)) throw error;
        since = Number(stream.last_event_id ?? since);
        breaks++;
      }
    }
  },
  async unix(url, local, remote) {
    const client = new ServerClient(url);
    async function* parts() {
      for (let at = 0; at < 40; at++) yield new Uint8Array(65536).fill(at);
    }
    const sent = await client.files.upload_stream({ path: remote, data: parts() });
    const read = await client.files.download_stream({ path: remote });
    const events = await client.commands.stream({ command: "echo hi; exit 3" }).collect();
    const missing = await client.files.stat({ path: "/etc/passwd" }).catch((error) => error.error_code);
    const tty = await client.terminal.connect({ session_id: "x" }).catch((error) => error.name);
    const nobody = await new ServerClient("unix:/nowhere/at/all").health().catch((error) => error.name);
    return [(await client.health()).status, sent.bytes, read.length, read.at(-1), events.at(-1).exit_code, missing, tty, nobody];
  },
  wrong: async (url) => new ServerClient(url).files.stat({ pth: "x" }),
};

const facts = ({ name, message, code, error_code, status, op, endpoint, rule, details, request_id, error_type }, broken) =>
  ({ name, message, code, error_code, status, op, endpoint, rule, details, request_id, error_type, broken });

async function answer(name, words) {
  try {
    return { value: (await checks[name](...words)) ?? null };
  } catch (error) {
    return { error: facts(error, error instanceof StreamEndedError) };
  }
}

if (name === "serve") {
  for await (const line of createInterface({ input: process.stdin })) {
    const [asked, ...words] = JSON.parse(line);
    console.log(JSON.stringify(await answer(asked, words)));
  }
} else console.log(JSON.stringify(await answer(name, rest)));
process.exit(0);
