// SPDX-License-Identifier: Apache-2.0
// Made by `agent-sandbox-server gen-client --lang ts --part client`: do not edit.
// Catalog version 1, digest sha256:304f4afa4f08c673e96b32106b669f903404d67d03b85cf80fb3994b84de8ba9
import {
  catalog,
  type CoreHealthParams,
  type CoreHealthResult,
  type CoreCapabilitiesParams,
  type CoreCapabilitiesResult,
  type CoreCheckParams,
  type CoreCheckResult,
  type CoreDescribeParams,
  type CoreDescribeResult,
  type CoreOpenapiParams,
  type CoreOpenapiResult,
  type CoreReloadParams,
  type CoreReloadResult,
  type CustomListParams,
  type CustomListResult,
  type FilesListParams,
  type FilesListResult,
  type FilesStatParams,
  type FilesStatResult,
  type FilesMkdirParams,
  type FilesMkdirResult,
  type FilesDeleteParams,
  type FilesDeleteResult,
  type FilesMoveParams,
  type FilesMoveResult,
  type FilesSearchParams,
  type FilesSearchResult,
  type FilesUploadStreamParams,
  type FilesUploadStreamResult,
  type FilesDownloadStreamParams,
  type FilesArchiveParams,
  type FilesWatchParams,
  type FilesWatchEvent,
  type FilesUploadParams,
  type FilesUploadResult,
  type FilesDownloadParams,
  type FilesReadParams,
  type FilesReadResult,
  type FilesWriteParams,
  type FilesWriteResult,
  type FilesEditParams,
  type FilesEditResult,
  type FilesGrepParams,
  type FilesGrepResult,
  type FilesCopyParams,
  type FilesCopyResult,
  type FilesExtractParams,
  type FilesExtractResult,
  type FilesChmodParams,
  type FilesChmodResult,
  type CommandsRunParams,
  type CommandsRunResult,
  type CommandsStreamParams,
  type CommandsStreamEvent,
  type ProcessStartParams,
  type ProcessStartResult,
  type ProcessListParams,
  type ProcessListResult,
  type ProcessGetParams,
  type ProcessGetResult,
  type ProcessSignalParams,
  type ProcessSignalResult,
  type ProcessStdinParams,
  type ProcessStdinResult,
  type ProcessOutputParams,
  type ProcessOutputResult,
  type ProcessFollowParams,
  type ProcessFollowEvent,
  type TerminalCreateParams,
  type TerminalCreateResult,
  type TerminalListParams,
  type TerminalListResult,
  type TerminalGetParams,
  type TerminalGetResult,
  type TerminalResizeParams,
  type TerminalResizeResult,
  type TerminalDeleteParams,
  type TerminalDeleteResult,
  type SystemInfoParams,
  type SystemInfoResult,
  type SystemMetricsParams,
  type SystemMetricsResult,
  type SystemEnvGetParams,
  type SystemEnvGetResult,
  type SystemEnvSetParams,
  type SystemEnvSetResult,
  type SystemPortsParams,
  type SystemPortsResult,
  type SystemPackagesParams,
  type SystemPackagesResult,
  type SystemPrometheusParams,
  type SystemPrometheusResult,
  type DevtoolsCodeRunParams,
  type DevtoolsCodeRunResult,
  type DevtoolsGitStatusParams,
  type DevtoolsGitStatusResult,
  type DevtoolsGitDiffParams,
  type DevtoolsGitDiffResult,
  type BrowserNavigateParams,
  type BrowserNavigateResult,
  type BrowserScreenshotParams,
  type BrowserContentParams,
  type BrowserContentResult,
  type BrowserClickParams,
  type BrowserClickResult,
  type BrowserTypeParams,
  type BrowserTypeResult,
  type BrowserEvaluateParams,
  type BrowserEvaluateResult,
  type BrowserPdfParams,
  type BrowserConsoleParams,
  type BrowserConsoleResult,
} from "./catalog.js";
import { Namespace, type Body, type CallOptions, type Caller, type EventStream } from "./runtime.js";

/** system.env */
export class SystemEnvNamespace extends Namespace {

  /**
   * Show the variables that programs are started with.
   *
   * Not the server's own. Names that hold TOKEN, SECRET, KEY, PASSWORD or CREDENTIAL are never shown.
   */
  get(params: SystemEnvGetParams = {}, options?: CallOptions): Promise<SystemEnvGetResult> {
    return this.caller.json(catalog["system.env.get"], params, options);
  }

  /**
   * Set variables for the programs that are started from now on.
   *
   * All of them or none; running programs keep theirs. Kept until the server ends. Variables that load code or say who a program is (PATH, HOME, LD_*, PYTHON*, …) are protected.
   */
  set(params: SystemEnvSetParams, options?: CallOptions): Promise<SystemEnvSetResult> {
    return this.caller.json(catalog["system.env.set"], params, options);
  }
}

/** devtools.code */
export class DevtoolsCodeNamespace extends Namespace {

  /**
   * Run a piece of code and answer when it has ended.
   *
   * The interpreter gets the code as a file that has no name and is gone afterwards; modules are found from 'cwd'. A non-zero exit is a result, not an error. The code is ended at its timeout and when the caller leaves, with everything that it started. Of each stream the first 10 MiB are kept.
   */
  run(params: DevtoolsCodeRunParams, options?: CallOptions): Promise<DevtoolsCodeRunResult> {
    return this.caller.json(catalog["devtools.code.run"], params, options);
  }
}

/** devtools.git */
export class DevtoolsGitNamespace extends Namespace {

  /**
   * Tell which files of a git repository differ, and where its branch stands.
   *
   * The repository is looked for upwards from 'path', inside the roots. Nothing of its configuration is used that could run a program: no hooks, filters, monitors or external diffs. What changed inside submodules is not looked at.
   */
  status(params: DevtoolsGitStatusParams = {}, options?: CallOptions): Promise<DevtoolsGitStatusResult> {
    return this.caller.json(catalog["devtools.git.status"], params, options);
  }

  /**
   * Show what changed in a git repository.
   *
   * The repository is found and held as for devtools.git.status. Denied files are left out.
   */
  diff(params: DevtoolsGitDiffParams = {}, options?: CallOptions): Promise<DevtoolsGitDiffResult> {
    return this.caller.json(catalog["devtools.git.diff"], params, options);
  }
}

/** core */
export class CoreNamespace extends Namespace {

  /**
   * Tell whether the server answers.
   *
   * Needs no token and says nothing but that the server is up.
   */
  health(params: CoreHealthParams = {}, options?: CallOptions): Promise<CoreHealthResult> {
    return this.caller.json(catalog["core.health"], params, options);
  }

  /**
   * Tell what this server offers and what the caller may use.
   *
   * 'enabled' is the server's switch, 'allowed' whether this caller may call it; 'rule' says why not.
   */
  capabilities(params: CoreCapabilitiesParams = {}, options?: CallOptions): Promise<CoreCapabilitiesResult> {
    return this.caller.json(catalog["core.capabilities"], params, options);
  }

  /**
   * Tell whether a call would be allowed.
   *
   * Goes through the same steps as the call itself, without its effect. With 'args' all parameters are checked, with 'path' or 'paths' only those; with 'checks' several calls at once. What only the moment of the call decides is not asked: what is there, and limits that are used up.
   */
  check(params: CoreCheckParams, options?: CallOptions): Promise<CoreCheckResult> {
    return this.caller.json(catalog["core.check"], params, options);
  }

  /**
   * Describe the ops that the caller may call.
   *
   * One shape for this answer, for describe --json and for catalog/operations.json.
   */
  describe(params: CoreDescribeParams = {}, options?: CallOptions): Promise<CoreDescribeResult> {
    return this.caller.json(catalog["core.describe"], params, options);
  }

  /**
   * Describe the server as OpenAPI 3.1.
   *
   * Made from the same rows as everything else; ops that are switched off are left out.
   */
  openapi(params: CoreOpenapiParams = {}, options?: CallOptions): Promise<CoreOpenapiResult> {
    return this.caller.json(catalog["core.openapi"], params, options);
  }

  /**
   * Read the policy file and the custom commands again.
   *
   * All or nothing: a file with an error changes nothing and is answered with file, line, column and reason. SIGHUP does the same. Running calls keep the policy and the commands that they began with. The answer comes when new workers have described themselves, or after ten seconds.
   */
  reload(params: CoreReloadParams = {}, options?: CallOptions): Promise<CoreReloadResult> {
    return this.caller.json(catalog["core.reload"], params, options);
  }
}

/** custom */
export class CustomNamespace extends Namespace {

  /**
   * List the commands of the template's author.
   *
   * Each is an op of its own, custom.NAME, which POST /commands/NAME and POST /ops/custom.NAME run.
   */
  list(params: CustomListParams = {}, options?: CallOptions): Promise<CustomListResult> {
    return this.caller.json(catalog["custom.list"], params, options);
  }
}

/** files */
export class FilesNamespace extends Namespace {

  /**
   * List a folder.
   *
   * Links are listed and not followed; the target of one that leads outside the roots is not told.
   */
  list(params: FilesListParams, options?: CallOptions): Promise<FilesListResult> {
    return this.caller.json(catalog["files.list"], params, options);
  }

  /**
   * Tell the facts of a path.
   *
   * A path that does not exist is a success with exists false.
   */
  stat(params: FilesStatParams, options?: CallOptions): Promise<FilesStatResult> {
    return this.caller.json(catalog["files.stat"], params, options);
  }

  /**
   * Make a folder.
   *
   * A folder that is there already is a success and told as not created; something else under that name is an error.
   */
  mkdir(params: FilesMkdirParams, options?: CallOptions): Promise<FilesMkdirResult> {
    return this.caller.json(catalog["files.mkdir"], params, options);
  }

  /**
   * Delete a file or a folder.
   *
   * Links are removed and never followed. Roots, what holds one, mount points and what holds a protected entry are refused before anything is removed. For a mount point, and when it fails in the middle, the details name the first path that is left.
   */
  delete(params: FilesDeleteParams, options?: CallOptions): Promise<FilesDeleteResult> {
    return this.caller.json(catalog["files.delete"], params, options);
  }

  /**
   * Move or rename a file or a folder.
   *
   * Within a file system it is one rename; across two the entry is copied with all that files.copy keeps, and then deleted. A failure leaves the source whole.
   */
  move(params: FilesMoveParams, options?: CallOptions): Promise<FilesMoveResult> {
    return this.caller.json(catalog["files.move"], params, options);
  }

  /**
   * Find files by name.
   *
   * Globs know '*', '?', '[a-z]', '[!a-z]' and a backslash before a sign that stands for itself. Links are not followed, but for the folder itself.
   */
  search(params: FilesSearchParams, options?: CallOptions): Promise<FilesSearchResult> {
    return this.caller.json(catalog["files.search"], params, options);
  }

  /**
   * Write files of any size.
   *
   * As files.upload. The body may also be multipart/form-data, with path the folder for its files: they appear together, or none does.
   */
  upload_stream(params: FilesUploadStreamParams & { data?: Body }, options?: CallOptions): Promise<FilesUploadStreamResult> {
    return this.caller.send(catalog["files.upload_stream"], params, options);
  }

  /**
   * Read a file of any size.
   *
   * As JSON the whole file is held in memory and limited. With Accept: application/octet-stream, a Range or HEAD the bytes are sent as they are, with ETag and Last-Modified, conditional requests and one range.
   */
  download_stream(params: FilesDownloadStreamParams, options?: CallOptions): Promise<Uint8Array> {
    return this.caller.fetch(catalog["files.download_stream"], params, options);
  }

  /**
   * Files and folders as one archive.
   *
   * As JSON the archive is held in memory and limited. With Accept: application/octet-stream it is made while it is sent, and the trailer X-Abx-Skipped tells in a JSON array what the result tells in 'skipped'. Links below the paths are kept as links, hard links too; devices, FIFOs and sockets are skipped. A file that changes meanwhile is cut or filled up to its first size, and told.
   */
  archive(params: FilesArchiveParams, options?: CallOptions): Promise<Uint8Array> {
    return this.caller.fetch(catalog["files.archive"], params, options);
  }

  /**
   * What changes in a folder or a file, as it happens.
   *
   * After 'ready' each change is an 'event'. A file that is replaced by a rename is a 'write' of its name; a move within what is watched is one 'rename' with old_path, out of it a 'remove', into it a 'create' for all it brings. Events that were lost are told by 'overflow', after which everything is covered anew. When the folder or one above it is moved, the stream ends. All watches share one inotify instance; when the kernel's limits are reached, mode=auto polls and mode=inotify says how much is not covered.
   */
  watch(params: FilesWatchParams, options?: CallOptions): EventStream<FilesWatchEvent> {
    return this.caller.events(catalog["files.watch"], params, options);
  }

  /**
   * Write a whole file.
   *
   * The file appears when all of it is written, or not at all. Mode and owner of a file that is replaced are kept, and a link is followed inside the roots. With If-Match only the content that the caller knows is replaced.
   */
  upload(params: FilesUploadParams & { data?: Body }, options?: CallOptions): Promise<FilesUploadResult> {
    return this.caller.send(catalog["files.upload"], params, options);
  }

  /**
   * Read a whole file.
   *
   * As JSON the whole file is held in memory and limited. With Accept: application/octet-stream, a Range or HEAD the bytes are sent as they are, with ETag and Last-Modified, conditional requests and one range.
   */
  download(params: FilesDownloadParams, options?: CallOptions): Promise<Uint8Array> {
    return this.caller.fetch(catalog["files.download"], params, options);
  }

  /**
   * Read a part of a file.
   *
   * By bytes or by lines, with the tag that makes a write conditional. As bytes it is as files.download_stream, with Range, conditional requests and HEAD.
   */
  read(params: FilesReadParams, options?: CallOptions): Promise<FilesReadResult> {
    return this.caller.json(catalog["files.read"], params, options);
  }

  /**
   * Write a file, or to its end.
   *
   * The file changes when all of it has arrived, or not at all. Mode and owner of a file that is there are kept, and a link is followed inside the roots. With If-Match only the content that the caller knows is changed.
   */
  write(params: FilesWriteParams & { data?: Body }, options?: CallOptions): Promise<FilesWriteResult> {
    return this.caller.send(catalog["files.write"], params, options);
  }

  /**
   * Change parts of a file.
   *
   * Exact replacements, or a unified diff; nothing is written unless all of them apply. The file keeps its mode and owner. With If-Match only the content that the caller knows is changed; a file that changes meanwhile is 412 in any case.
   */
  edit(params: FilesEditParams, options?: CallOptions): Promise<FilesEditResult> {
    return this.caller.json(catalog["files.edit"], params, options);
  }

  /**
   * Find lines in files.
   *
   * Each line is searched alone. Binary files, which hold a NUL, are passed over, and so is what .gitignore files at and below the folder name. Of a line over 64 KiB a match of more than 4096 bytes may be missed.
   */
  grep(params: FilesGrepParams, options?: CallOptions): Promise<FilesGrepResult> {
    return this.caller.json(catalog["files.grep"], params, options);
  }

  /**
   * Copy a file or a folder.
   *
   * The copy appears whole or not at all. Modes, times, attributes of users (user.*), access lists, holes, links and hard links within it are kept, and blocks are shared, where the file system can; setuid and setgid bits are not. What the caller may not see is left out. A copy onto itself changes nothing.
   */
  copy(params: FilesCopyParams, options?: CallOptions): Promise<FilesCopyResult> {
    return this.caller.json(catalog["files.copy"], params, options);
  }

  /**
   * Fill a folder from an archive.
   *
   * tar (plain, gz, zst, xz, bz2) and zip, from a file or as the body. A destination that is new appears whole or not at all; one that is there gets the entries one by one, and an error then says how many. Names that are absolute or climb, links that lead out, devices, FIFOs and sockets are left out and listed; owners are not taken over, nor setuid bits.
   */
  extract(params: FilesExtractParams & { data?: Body }, options?: CallOptions): Promise<FilesExtractResult> {
    return this.caller.send(catalog["files.extract"], params, options);
  }

  /**
   * Change permissions.
   *
   * Every entry gets exactly this mode. Nothing is changed when the policy protects one of them; after another failure the entries before it are changed.
   */
  chmod(params: FilesChmodParams, options?: CallOptions): Promise<FilesChmodResult> {
    return this.caller.json(catalog["files.chmod"], params, options);
  }
}

/** commands */
export class CommandsNamespace extends Namespace {

  /**
   * Run a command and answer when it has ended.
   *
   * Exactly one of 'command' (run by a shell) and 'argv' (no shell). A non-zero exit is a result, not an error. The command is ended at its timeout and when the caller leaves, with everything that it started; what is to outlive its caller is started with process.start. Children that it leaves behind do not hold the answer. Behind a proxy that gives up on slow answers use commands.stream, or process.start and process.output.
   */
  run(params: CommandsRunParams, options?: CallOptions): Promise<CommandsRunResult> {
    return this.caller.json(catalog["commands.run"], params, options);
  }

  /**
   * Run a command and send its output as it comes.
   *
   * As commands.run, with events. A caller who reads slowly slows the command down; one who leaves takes it along: what is to outlive its caller is started with process.start. A timeout sends 'error' and then 'exit'; a stream that ends without either was broken on the way.
   */
  stream(params: CommandsStreamParams, options?: CallOptions): EventStream<CommandsStreamEvent> {
    return this.caller.events(catalog["commands.stream"], params, options);
  }
}

/** process */
export class ProcessNamespace extends Namespace {

  /**
   * Start a program that outlives the call.
   *
   * Exactly one of 'command' (run by a shell) and 'argv' (no shell). It runs until it ends by itself, by its timeout, by a signal, or with the server. With an Idempotency-Key header a repeated start gives the first answer again for an hour and starts nothing; the server forgets the keys when it is restarted. Without 'capture_output' its output goes nowhere.
   */
  start(params: ProcessStartParams, options?: CallOptions): Promise<ProcessStartResult> {
    return this.caller.json(catalog["process.start"], params, options);
  }

  /**
   * List processes.
   *
   * Those begun with process.start by any caller: all that run, and those that ended, until an hour has passed or 'retain' newer ones have ended.
   */
  list(params: ProcessListParams = {}, options?: CallOptions): Promise<ProcessListResult> {
    return this.caller.json(catalog["process.list"], params, options);
  }

  /**
   * Look at one process.
   *
   * An ended process stays known until an hour has passed or 'retain' newer ones have ended. 'descendants' tells of what still lives of it after its own end; process.signal with 'group' reaches them.
   */
  get(params: ProcessGetParams, options?: CallOptions): Promise<ProcessGetResult> {
    return this.caller.json(catalog["process.get"], params, options);
  }

  /**
   * Send a signal to a process.
   *
   * With 'group', the default, everything that descends from the process gets it, also what changed its session; without, the process alone. After its end only living descendants can be signalled, with 'group'. The policy lists the signals that may be sent.
   */
  signal(params: ProcessSignalParams, options?: CallOptions): Promise<ProcessSignalResult> {
    return this.caller.json(catalog["process.signal"], params, options);
  }

  /**
   * Write to a process's standard input.
   *
   * The process must have been started with 'stdin'. The call is answered when the bytes are in the pipe, in the order of the calls. When the process takes none for five seconds (or one call lasts over a minute) it is limit.too_many, and 'details' says how many bytes were written; the rest was not.
   */
  stdin(params: ProcessStdinParams, options?: CallOptions): Promise<ProcessStdinResult> {
    return this.caller.json(catalog["process.stdin"], params, options);
  }

  /**
   * Read what a process wrote, from an offset on.
   *
   * Reading consumes nothing: any number of readers go on from their own 'next', and the same 'since' gives the same bytes again. The newest 'max_output_bytes' are kept; 'dropped' tells how many of the wanted ones are gone. With 'wait' the answer comes with the first byte or when the process ends. A character that a limit would cut belongs to the later read.
   */
  output(params: ProcessOutputParams, options?: CallOptions): Promise<ProcessOutputResult> {
    return this.caller.json(catalog["process.output"], params, options);
  }

  /**
   * The output of a process as it comes.
   *
   * Events carry an id: with it as Last-Event-ID (or as 'since') a new call goes on where the old one broke, and a client of server-sent events does so by itself. A reader who is too slow for what the ring keeps is told of a 'gap'; the process never waits for its readers.
   */
  follow(params: ProcessFollowParams, options?: CallOptions): EventStream<ProcessFollowEvent> {
    return this.caller.events(catalog["process.follow"], params, options);
  }
}

/** terminal */
export class TerminalNamespace extends Namespace {

  /**
   * Start a program on a terminal.
   *
   * Without 'command' and 'argv' the shell is started as a login shell. The program has a controlling terminal of the given size from its first instruction on, and TERM=xterm-256color. It lives on when nobody is attached, and its output is read and kept all the same, the newest scrollback_bytes of it.
   */
  create(params: TerminalCreateParams = {}, options?: CallOptions): Promise<TerminalCreateResult> {
    return this.caller.json(catalog["terminal.create"], params, options);
  }

  /**
   * List the terminal sessions.
   *
   * A session whose program has ended stays for a minute after that, or after its last client has left.
   */
  list(params: TerminalListParams = {}, options?: CallOptions): Promise<TerminalListResult> {
    return this.caller.json(catalog["terminal.list"], params, options);
  }

  /**
   * Tell about one terminal session.
   *
   * As terminal.list has it.
   */
  get(params: TerminalGetParams, options?: CallOptions): Promise<TerminalGetResult> {
    return this.caller.json(catalog["terminal.get"], params, options);
  }

  /**
   * Change the size of a terminal.
   *
   * There is one size for all clients of a session: the last that was set.
   */
  resize(params: TerminalResizeParams, options?: CallOptions): Promise<TerminalResizeResult> {
    return this.caller.json(catalog["terminal.resize"], params, options);
  }

  /**
   * End a terminal session.
   *
   * Hangs up everything that the session started, kills what does not go, and answers when nothing is left. A session that has ended by itself is forgotten, and what it left running is ended too.
   */
  delete(params: TerminalDeleteParams, options?: CallOptions): Promise<TerminalDeleteResult> {
    return this.caller.json(catalog["terminal.delete"], params, options);
  }
}

/** system */
export class SystemNamespace extends Namespace {
  readonly env: SystemEnvNamespace;

  constructor(caller: Caller) {
    super(caller);
    this.env = new SystemEnvNamespace(caller);
  }

  /**
   * Tell what the sandbox is made of.
   *
   * Memory and CPU are the cgroup's where it sets a limit; those of the machine stand under names of their own. No limit and what is not known are null.
   */
  info(params: SystemInfoParams = {}, options?: CallOptions): Promise<SystemInfoResult> {
    return this.caller.json(catalog["system.info"], params, options);
  }

  /**
   * Tell how much of the sandbox is in use now.
   *
   * The figures are the cgroup's where it sets a limit. What is not known is null. Takes a fifth of a second.
   */
  metrics(params: SystemMetricsParams = {}, options?: CallOptions): Promise<SystemMetricsResult> {
    return this.caller.json(catalog["system.metrics"], params, options);
  }

  /**
   * List the ports that somebody listens on.
   *
   * IPv4 and IPv6, of the server's network namespace.
   */
  ports(params: SystemPortsParams = {}, options?: CallOptions): Promise<SystemPortsResult> {
    return this.caller.json(catalog["system.ports"], params, options);
  }

  /**
   * List the packages that a package manager has installed.
   *
   * apt and apk are read from their databases; pip, npm and cargo are run, in an environment of their own.
   */
  packages(params: SystemPackagesParams = {}, options?: CallOptions): Promise<SystemPackagesResult> {
    return this.caller.json(catalog["system.packages"], params, options);
  }

  /**
   * Give the figures of the sandbox and of the server as Prometheus reads them.
   *
   * At its own address the text itself, unless Accept asks for application/json.
   */
  prometheus(params: SystemPrometheusParams = {}, options?: CallOptions): Promise<SystemPrometheusResult> {
    return this.caller.json(catalog["system.prometheus"], params, options);
  }
}

/** devtools */
export class DevtoolsNamespace extends Namespace {
  readonly code: DevtoolsCodeNamespace;
  readonly git: DevtoolsGitNamespace;

  constructor(caller: Caller) {
    super(caller);
    this.code = new DevtoolsCodeNamespace(caller);
    this.git = new DevtoolsGitNamespace(caller);
  }
}

/** browser */
export class BrowserNamespace extends Namespace {

  /**
   * Go to an address and wait until the page is there.
   *
   * A page that answers with an error status is a page: 'status' says so. 'networkidle' is the load event and no request for 500 ms. Redirects and whatever the page loads are held to the policy's browser.allow_hosts.
   */
  navigate(params: BrowserNavigateParams, options?: CallOptions): Promise<BrowserNavigateResult> {
    return this.caller.json(catalog["browser.navigate"], params, options);
  }

  /**
   * Take a picture of the page or of one element.
   *
   * With Accept: image/* (or image/png, image/jpeg) the bytes are sent as they are, in the format that was asked for. A picture is at most 16384 pixels wide and high; a page that is longer is cut there.
   */
  screenshot(params: BrowserScreenshotParams = {}, options?: CallOptions): Promise<Uint8Array> {
    return this.caller.fetch(catalog["browser.screenshot"], params, options);
  }

  /**
   * Read the page as HTML or text.
   *
   * The HTML is the document as scripts have made it by now, not what the server sent. The text is what a reader sees.
   */
  content(params: BrowserContentParams = {}, options?: CallOptions): Promise<BrowserContentResult> {
    return this.caller.json(catalog["browser.content"], params, options);
  }

  /**
   * Click on an element.
   *
   * Waits until the element is there, visible, at rest, enabled and not covered, scrolls it into view, and presses the mouse in its middle. What did not come true in time is in the error.
   */
  click(params: BrowserClickParams, options?: CallOptions): Promise<BrowserClickResult> {
    return this.caller.json(catalog["browser.click"], params, options);
  }

  /**
   * Type text into an element.
   *
   * Waits up to five seconds for the element as browser.click does, gives it the focus, and presses real keys. Characters that no key has are put in as an input method does.
   */
  type(params: BrowserTypeParams, options?: CallOptions): Promise<BrowserTypeResult> {
    return this.caller.json(catalog["browser.type"], params, options);
  }

  /**
   * Run a script in the page and answer with its value.
   *
   * What a script throws is browser.failed with its message; so is a value that has no JSON form, such as a function. At the timeout the script is ended, also in the middle of a loop.
   */
  evaluate(params: BrowserEvaluateParams, options?: CallOptions): Promise<BrowserEvaluateResult> {
    return this.caller.json(catalog["browser.evaluate"], params, options);
  }

  /**
   * Print the page as a PDF document.
   *
   * Backgrounds are printed. With Accept: application/pdf the bytes are sent as they are.
   */
  pdf(params: BrowserPdfParams = {}, options?: CallOptions): Promise<Uint8Array> {
    return this.caller.fetch(catalog["browser.pdf"], params, options);
  }

  /**
   * Read what the page has written to its console.
   *
   * Reading clears it. Dialogs, which are dismissed, downloads, which are refused, uncaught exceptions and crashes are in it too. It starts no browser and waits for no other call.
   */
  console(params: BrowserConsoleParams = {}, options?: CallOptions): Promise<BrowserConsoleResult> {
    return this.caller.json(catalog["browser.console"], params, options);
  }
}

/** The namespaces of the catalog. */
export class Tree extends Namespace {
  readonly core: CoreNamespace;
  readonly custom: CustomNamespace;
  readonly files: FilesNamespace;
  readonly commands: CommandsNamespace;
  readonly process: ProcessNamespace;
  readonly terminal: TerminalNamespace;
  readonly system: SystemNamespace;
  readonly devtools: DevtoolsNamespace;
  readonly browser: BrowserNamespace;

  constructor(caller: Caller) {
    super(caller);
    this.core = new CoreNamespace(caller);
    this.custom = new CustomNamespace(caller);
    this.files = new FilesNamespace(caller);
    this.commands = new CommandsNamespace(caller);
    this.process = new ProcessNamespace(caller);
    this.terminal = new TerminalNamespace(caller);
    this.system = new SystemNamespace(caller);
    this.devtools = new DevtoolsNamespace(caller);
    this.browser = new BrowserNamespace(caller);
  }
}
