// SPDX-License-Identifier: Apache-2.0
// fetch over a UNIX socket, in Node: its own fetch only speaks TCP.
import { node } from "./node.js";

interface Incoming extends AsyncIterable<Uint8Array> {
  statusCode: number;
  rawHeaders: string[];
  destroy(): void;
}

interface Outgoing {
  write(piece: Uint8Array | string): boolean;
  end(piece?: Uint8Array | string): void;
  destroy(fault?: unknown): void;
  once(event: string, listener: (value: any) => void): void;
  on(event: string, listener: (value: any) => void): void;
}

interface Http {
  request(options: object): Outgoing;
}

const NO_BODY = [204, 205, 304];

function headersOf(answer: Incoming): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) headers.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
  return headers;
}

function responseOf(answer: Incoming): Response {
  const pieces = answer[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await pieces.next();
      if (piece.done) controller.close();
      else controller.enqueue(new Uint8Array(piece.value));
    },
    cancel: () => answer.destroy(),
  }, { highWaterMark: 0 });
  return new Response(NO_BODY.includes(answer.statusCode) ? null : body, { status: answer.statusCode, headers: headersOf(answer) });
}

async function write(request: Outgoing, body: BodyInit | null | undefined): Promise<void> {
  if (body === null || body === undefined) return request.end();
  if (typeof body === "string") return request.end(body);
  if (body instanceof Uint8Array) return request.end(body);
  if (!(body instanceof ReadableStream)) return request.end(new Uint8Array(await new Response(body).arrayBuffer()));
  const reader = body.getReader();
  let gone = false;
  let wake = (): void => undefined;
  request.on("drain", () => wake());
  request.once("close", () => ((gone = true), wake()));
  try {
    for (let piece = await reader.read(); !piece.done && !gone; piece = await reader.read())
      if (!request.write(piece.value) && !gone) await new Promise<void>((resolve) => (wake = resolve));
    request.end();
  } catch (fault) {
    request.destroy(fault);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A fetch whose URLs keep their path and lose their host. */
export function unixFetch(socketPath: string): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const http = await node<Http>("http");
    const url = new URL(String(input));
    init.signal?.throwIfAborted();
    return new Promise<Response>((resolve, reject) => {
      const request = http.request({
        socketPath, path: url.pathname + url.search, method: init.method ?? "GET", signal: init.signal ?? undefined,
        headers: Object.fromEntries(new Headers(init.headers)),
      });
      request.once("response", (answer: Incoming) => resolve(responseOf(answer)));
      request.on("error", reject); // behind the answer it changes nothing, and is told by the answer's body
      write(request, init.body).catch(reject);
    });
  };
}
