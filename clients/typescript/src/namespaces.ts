// SPDX-License-Identifier: Apache-2.0
// What the namespaces can do beyond one call for each op.
import type { CallOptions } from "./caller.js";
import {
  catalog, type CommandsStreamExitEvent, type CommandsStreamParams, type FilesUploadStreamParams, type FilesUploadStreamResult,
  type FilesWatchEventEvent, type FilesWatchParams, type ProcessFollowEvent, type ProcessSignalResult,
} from "./catalog.js";
import { CommandsNamespace, FilesNamespace, ProcessNamespace, TerminalNamespace } from "./client.js";
import { ProcessError } from "./errors.js";
import { node } from "./node.js";
import { TerminalConnection } from "./terminal.js";

interface FileSystem {
  createReadStream(path: string): AsyncIterable<Uint8Array>;
  promises: {
    open(path: string, flags: string): Promise<{
      writeFile(piece: Uint8Array): Promise<void>;
      chmod(mode: number): Promise<void>;
      close(): Promise<void>;
    }>;
    stat(path: string): Promise<{ mode: number }>;
    rename(from: string, to: string): Promise<void>;
    rm(path: string, options: object): Promise<void>;
  };
}

export type Range = { start?: number | undefined; end?: number | undefined };

/** The ops files.*, and whole files to and from this machine. */
export class Files extends FilesNamespace {
  /** Whether there is such an entry. */
  async exists(params: { path: string }, options?: CallOptions): Promise<boolean> {
    return (await this.stat(params, options)).exists;
  }

  /** A whole file as text, its line ends as they are; throws TypeError when it is not UTF-8. */
  async read_text(params: { path: string }, options?: CallOptions): Promise<string> {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await this.download_stream(params, options));
  }

  /** The bytes of a file as they come; leaving the loop ends the connection. */
  iter_bytes(params: { path: string }, options: CallOptions & Range = {}): AsyncGenerator<Uint8Array> {
    return this.caller.pieces(catalog["files.download_stream"], params, options);
  }

  /** What changes in that time: the events of files.watch without those about the watch itself. */
  async watch_for(params: FilesWatchParams, seconds: number, options?: CallOptions): Promise<FilesWatchEventEvent[]> {
    const seen = await this.watch({ ...params, timeout: seconds }, options).collect();
    return seen.filter((event): event is FilesWatchEventEvent => event.event === "event");
  }

  /** A file of this machine (in Node), of any size, without holding it in memory. */
  async upload_file(local: string, params: FilesUploadStreamParams, options?: CallOptions): Promise<FilesUploadStreamResult> {
    const { createReadStream } = await node<FileSystem>("fs");
    return this.upload_stream({ ...params, data: createReadStream(local) }, options);
  }

  /** Into a file of this machine (in Node), which appears, or is replaced, when all of it has come; how many bytes there were. */
  async download_file(params: { path: string }, local: string, options?: CallOptions): Promise<number> {
    const { promises: fs } = await node<FileSystem>("fs");
    const part = local.replace(/[^/]*$/, (name) => `.${name}.${Math.random().toString(36).slice(2)}`);
    const before = await fs.stat(local).catch(() => undefined); // what is replaced may be private
    const file = await fs.open(part, "wx");
    let done = 0;
    try {
      if (before) await file.chmod(before.mode & 0o777);
      for await (const piece of this.iter_bytes(params, options)) {
        await file.writeFile(piece); // write() may write a part and call it good
        done += piece.length;
      }
      await file.close();
      await fs.rename(part, local);
      return done;
    } catch (fault) {
      await file.close().catch(() => undefined);
      await fs.rm(part, { force: true });
      throw fault;
    }
  }
}

export interface StreamOptions extends CallOptions {
  on_stdout?: ((text: string) => void | Promise<void>) | undefined;
  on_stderr?: ((text: string) => void | Promise<void>) | undefined;
}

/** The ops commands.*: always the shell, or a program without one; a template's own commands are custom.* */
export class Commands extends CommandsNamespace {
  /** Streams a command to two functions; the exit event, when it has ended. */
  async run_stream(params: CommandsStreamParams, options: StreamOptions = {}): Promise<CommandsStreamExitEvent> {
    let ended: CommandsStreamExitEvent | undefined;
    for await (const event of this.stream(params, options)) {
      if (event.event === "stdout") await options.on_stdout?.(event.data);
      else if (event.event === "stderr") await options.on_stderr?.(event.data);
      else if (event.event === "exit") ended = event;
    }
    const exit = ended as CommandsStreamExitEvent; // the stream throws when it has none
    if (options.check && exit.exit_code !== 0)
      throw new ProcessError(`the command exited with ${exit.exit_code}`, {
        op: "commands.stream", endpoint: "shell_stream", details: { ...exit },
      });
    return exit;
  }
}

type Pid = string | number;

/** The ops process.* */
export class Process extends ProcessNamespace {
  /** process.signal with SIGKILL. */
  kill(params: { pid: Pid; group?: boolean | undefined }, options?: CallOptions): Promise<ProcessSignalResult> {
    return this.signal({ ...params, signal: "SIGKILL" }, options);
  }

  /** All output of a process up to its end. */
  follow_all(params: { pid: Pid; since?: number | undefined }, options?: CallOptions): Promise<ProcessFollowEvent[]> {
    return this.follow(params, options).collect();
  }

  /** The text of all output of a process, both streams in their order, up to its end. */
  async read_all(params: { pid: Pid }, options?: CallOptions): Promise<string> {
    return (await this.follow_all(params, options)).map((event) => (event.event === "chunk" ? event.data : "")).join("");
  }
}

/** The ops terminal.* */
export class Terminal extends TerminalNamespace {
  /** Attaches to a session. */
  connect(params: { session_id: string }): Promise<TerminalConnection> {
    return new TerminalConnection(this.caller, catalog["terminal.connect"], params.session_id).open();
  }
}
