// An isolated environment for every run: home, data and work folders that are deleted afterwards, an explicit set of
// environment variables, and processes that are ended. Everything a run starts inherits its HOME, which is how
// leftovers are found.

import { spawn } from "node:child_process";
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { evidence, Leak, patience, until } from "./checks.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const artefacts = join(root, "build/artefacts");

export class Sandbox {
  #processes = [];
  #closers = [];

  constructor(name) {
    this.name = name;
    // Short, because the path of a unix socket must be.
    this.dir = mkdtempSync(join(tmpdir(), "ply-"));
    this.artefacts = join(artefacts, name);
    rmSync(this.artefacts, { recursive: true, force: true });
    mkdirSync(this.artefacts, { recursive: true });
    this.home = this.folder("home");
    this.work = this.folder("home/project");
    this.data = this.folder("data");
    this.runtime = this.folder("run");
  }

  folder(name) {
    const path = join(this.dir, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /**
   * Replaces the desktop's URL opener. Returns the file with the opened address, which only appears once its line is
   * complete.
   */
  opener() {
    const opened = join(this.dir, "opened");
    const program = join(this.folder("bin"), "xdg-open");
    writeFileSync(program, `#!/bin/sh\n{ cat ${opened}; echo "$1"; } 2>/dev/null >${opened}.$$; mv ${opened}.$$ ${opened}\n`);
    chmodSync(program, 0o755);
    return opened;
  }

  /** The complete environment of programs here. */
  env(extra = {}) {
    return {
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      HOME: this.home,
      USER: "parley",
      XDG_CONFIG_HOME: join(this.home, ".config"),
      XDG_CACHE_HOME: join(this.home, ".cache"),
      XDG_DATA_HOME: join(this.home, ".local/share"),
      XDG_STATE_HOME: join(this.home, ".local/state"),
      XDG_RUNTIME_DIR: this.runtime,
      TMPDIR: this.folder("tmp"),
      PARLEY_CLAUDE_BIN: process.env.PARLEY_TEST_CLAUDE ?? join(root, "frontend/node_modules/.bin/claude"),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      // Otherwise every CLI started here would compile code for a long life.
      BUN_JSC_useDFGJIT: "0",
      ...extra,
    };
  }

  /** Starts a program. Its output goes to a log file, its stdout also to lines(). */
  start(name, command, args, { env = this.env(), cwd = this.home, fds = [], stdin = "ignore" } = {}) {
    const child = spawn(command, args, { env, cwd, stdio: [stdin, "pipe", "pipe", ...fds] });
    const running = new Running(name, child, createWriteStream(join(this.artefacts, `${name}.log`), { flags: "a" }));
    this.#processes.push(running);
    // A program's last output may explain why its window disappeared.
    evidence.add(() => `${name}${running.how ? `, ended ${JSON.stringify(running.how)}` : ""}: ${running.said.split("\n").slice(-12).join("\n")}`);
    return running;
  }

  /** Closes something with the sandbox: anything a failed check left open would keep the suite running. */
  closes(close) {
    this.#closers.push(close);
  }

  /** Ends everything, the last started first, and removes the folders. */
  async close() {
    for (const close of this.#closers.toReversed()) await close().catch(() => {});
    for (const running of this.#processes.toReversed()) await running.stop().catch(() => running.kill());
    // Their children save their state while they end.
    await until("the others to end", () => this.leftovers().length === 0, { timeout: 15_000 }).catch(() => {});
    let why;
    await until(() => `the folder to be removed (${why})`, () => {
      try {
        rmSync(this.dir, { recursive: true, force: true });
        return true;
      } catch (error) {
        // A process that is not ours to inspect may still write there.
        why = error;
        return false;
      }
    }, { every: 100 });
  }

  /** Waits until none of its processes is running, or none that matches. */
  async leavesNothing(of = /./) {
    const left = () => this.leftovers().filter((line) => of.test(line));
    await until("everything to be gone", () => left().length === 0).catch(() => {
      throw new Leak(`still running: ${left().join("; ")}`);
    });
  }

  /** Processes with this sandbox's HOME, as "pid command". */
  leftovers(except = []) {
    const found = [];
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (except.includes(Number(pid))) continue;
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        if (this.#carries(pid, command)) found.push(`${pid} ${command.slice(0, 200)}`);
      } catch {
        // It ended.
      }
    }
    return found;
  }

  /** Only root may read the environment of Parley's programs: they are found by a folder in their command, or by their
   * parent. */
  #carries(pid, command) {
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${this.home}`);
    } catch (error) {
      if (error.code !== "EACCES") return false;
      if (command.includes(`${this.dir}/`)) return true;
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
      return Number(parent) > 1 && this.#carries(parent, readFileSync(`/proc/${parent}/cmdline`, "utf8").replaceAll("\0", " "));
    }
  }
}

export class Running {
  #lines = [];
  #waiting = [];

  #said = "";

  constructor(name, child, log) {
    this.name = name;
    this.child = child;
    this.started = Date.now();
    const wake = () => {
      for (const waiter of this.#waiting.splice(0)) waiter();
    };
    const hear = (text) => {
      log.write(text);
      this.#said += text;
      wake();
    };
    child.stderr.setEncoding("utf8").on("data", hear);
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.#lines.push(line);
      hear(`${line}\n`);
    });
    /** Settles with {code, signal}, even if the program could not be started. */
    this.exited = new Promise((resolve) => {
      child.once("error", (error) => resolve({ code: null, signal: null, error }));
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.exited.then((how) => {
      this.how = how;
      wake();
    });
  }

  get pid() {
    return this.child.pid;
  }

  get lines() {
    return this.#lines;
  }

  /** All its output, from both streams. */
  get said() {
    return this.#said;
  }

  /** The first line of its stdout. */
  async line() {
    return await this.#wait("say its first line", () => this.#lines[0]);
  }

  /** Waits until the text appears in its output, on either stream. */
  async says(text) {
    await this.#wait(`say "${text}"`, () => this.#said.includes(text));
  }

  async #wait(what, probe, timeout = patience) {
    const late = AbortSignal.timeout(timeout);
    for (;;) {
      const found = probe();
      if (found) return found;
      if (this.how) throw new Error(`${this.name} ended (${JSON.stringify(this.how)}) and did not ${what}, see its log`);
      if (late.aborted) throw new Error(`${this.name} did not ${what} within ${timeout} ms, see its log`);
      await new Promise((resolve) => {
        this.#waiting.push(resolve);
        late.addEventListener("abort", resolve, { once: true });
      });
    }
  }

  /** Asks it to end and returns how it ended. */
  async stop(signal = "SIGTERM", timeout = patience) {
    if (this.how) return this.how;
    this.child.kill(signal);
    return await until(`${this.name} to end`, () => this.how, { timeout });
  }

  kill() {
    this.child.kill("SIGKILL");
  }
}

/** A TCP port that was free a moment ago. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
