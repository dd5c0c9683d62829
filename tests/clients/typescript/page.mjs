// SPDX-License-Identifier: Apache-2.0
// What a page does with the package; it posts what it saw.
import { FileNotFoundError_, ServerClient } from "agent-sandbox";

const report = (value) => fetch("/report", { method: "POST", body: JSON.stringify(value) });

async function caught(what) {
  try {
    await what;
  } catch (error) {
    return error;
  }
  return { name: "nothing was thrown" };
}

async function terminal(client) {
  const { session_id } = await client.terminal.create({ argv: ["sh", "-c", "read line; echo got $line; exit 5"] });
  const tty = await client.terminal.connect({ session_id });
  tty.send("hello\r");
  const [typed] = await tty.expect(/got \w+/, 60);
  for await (const _ of tty);
  return { typed, exit_code: tty.exit_code };
}

async function everything({ url, token, argv }) {
  const client = new ServerClient(url, { token });
  const { entries } = await client.files.list({ path: "." });
  const sent = await client.files.upload_stream({ path: "sent", data: new Blob(["ab\r\n"]) });
  const read = new TextDecoder().decode(await client.files.download_stream({ path: "sent" }));
  const events = await client.commands.stream({ command: "printf 'x\\342\\200\\250y'; exit 3" }).collect();
  const missing = await caught(client.files.read({ path: "no" }));
  const long = await caught(client.files.read({ path: "x".repeat(9000) }));
  const stranger = await caught(new ServerClient(url, { token: "wrong" }).files.list({ path: "." }));
  const stream = client.commands.stream({ argv });
  const started = await stream.next();
  await report({
    names: entries.map((entry) => entry.name), sent: sent.bytes, read, stream: events.map((event) => event.event),
    text: events.filter((event) => event.event === "stdout").map((event) => event.data).join(""), code: events.at(-1).exit_code,
    ...(await terminal(client)), unauthorized: stranger.name, long: [long.name, long.error_code], running: started.value.event === "start",
    error: [missing.name, missing.code, missing.error_code, missing.op, missing instanceof FileNotFoundError_],
  });
  stream.close();
  await report({ left: true });
}

try {
  await everything(await (await fetch("/settings")).json());
} catch (error) {
  await report({ fault: error.name, message: String(error.stack ?? error) });
}
