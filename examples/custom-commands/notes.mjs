// SPDX-License-Identifier: Apache-2.0
// A worker for agent-sandbox-server without a library: one JSON object a line, in and out.
import { createInterface } from "node:readline";

const notes = [];
const commands = {
  note: {
    description: "Keep a note.",
    args: [{ name: "text", type: "string" }, { name: "tags", type: "array", default: [] }],
    run: ({ text, tags }) => notes.push({ text, tags }),
  },
  notes: {
    description: "All notes with this tag, or all of them.",
    args: [{ name: "tag", type: "string", required: false }],
    run: ({ tag }) => notes.filter((one) => tag === undefined || one.tags.includes(tag)),
  },
};

const answer = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, name, args } = JSON.parse(line);
  if (method === "describe") {
    answer({ id, result: { commands: Object.entries(commands).map(([name, { description, args }]) => ({ name, description, args })) } });
  } else if (method === "call") {
    try {
      answer({ id, result: commands[name].run(args) ?? null });
    } catch (error) {
      answer({ id, error: { type: error.name, message: error.message } });
    }
  } // "cancel" can be ignored: the answer is then nobody's
}
