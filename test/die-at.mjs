// Preloaded into `ralphctl run`, `undo` and `worker` by tests of crash points: counts what it does to the machine, and at one of these it
// gets a signal, alone or with its process group.
import child from "node:child_process";
import fs from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";

const { DIE_AT = "", DIE_FROM = "", DIE_LOG = "", DIE_SIGNAL = "SIGKILL", DIE_WHOLE = "" } = process.env;
const [, program = "", command = ""] = process.argv;
const { writeSync } = fs;
const log = DIE_LOG === "" ? undefined : fs.openSync(DIE_LOG, "a");
/** Names that must be seen first, one after the other. The last one is the first point that counts. */
const awaited = DIE_FROM === "" ? [] : DIE_FROM.split(" then ");
let count = 0;
/** What it has started and what still lives, each the first of a process group. */
const started = new Set();

/** One thing that is about to be done, or was just done. */
function point(name) {
  if (awaited.length > 0) {
    if (!name.includes(awaited[0])) return;
    awaited.shift();
    if (awaited.length > 0) return;
  }
  count += 1;
  if (log !== undefined) writeSync(log, `${name}\n`);
  if (String(count) === DIE_AT) die();
}

/** With everything, as when a container ends; a signal that can be heard reaches the own group only, as a Ctrl-C does. */
function die() {
  if (DIE_WHOLE !== "" && DIE_SIGNAL === "SIGKILL") for (const pid of started) process.kill(-pid, DIE_SIGNAL);
  process.kill(DIE_WHOLE === "" ? process.pid : -process.pid, DIE_SIGNAL);
}

function watch(object, kind, names) {
  for (const name of names) {
    const real = object[name];
    object[name] = (...args) => {
      // The same thing, whether it is waited for or not.
      const what = name.replace(/Sync$/, "");
      point(`${kind} ${what} ${typeof args[0] === "string" ? basename(args[0]) : ""}`);
      return real(...args);
    };
  }
}

function watchFiles() {
  const names = ["writeFile", "rename", "rm", "mkdir", "appendFile", "copyFile", "utimes", "chmod", "unlink"];
  watch(fs.promises, "file", names);
  watch(fs, "file", [...names.map((name) => `${name}Sync`), "writeSync", "fsyncSync", "symlinkSync"]);
}

function watchPrograms() {
  const { spawn } = child;
  child.spawn = (file, args, options) => {
    const start = () => remember(spawn(file, args, options), options);
    if (file === "/bin/sh" && args.length === 0) return watchShell(start());
    if (args[2] === "ralphctl-next") return watchNext(start());
    const [own, ...words] = insideOf(file, args);
    const name = `${basename(own)} ${basename(verbOf(words))}`;
    point(`start ${name}`);
    const program = start().on("close", () => point(`ended ${name}`));
    point(`started ${name}`);
    return program;
  };
}

/** The program in a sandbox or a process namespace stands behind the first process there. */
function insideOf(file, args) {
  const at = args.indexOf("ralphctl-init");
  return at < 0 ? [file, ...args] : args.slice(at + 1);
}

function remember(program, options) {
  if (options?.detached) started.add(program.pid);
  return program.on("exit", () => started.delete(program.pid));
}

/** What git is asked for; its settings come first. */
const verbOf = (args) => args.find((one, at) => !one.startsWith("-") && args[at - 1] !== "-c") ?? "";

/** A shell that starts git for the program: a line for each, and after it a line that begins with a mark. */
function watchShell(shell) {
  const write = shell.stdin.write.bind(shell.stdin);
  let name = "";
  shell.stdin.write = (script) => {
    name = `git ${verbOf(script.slice(script.indexOf(" git ") + 5).split(" "))}`;
    point(`start ${name}`);
    const isWritten = write(script);
    point(`started ${name}`);
    return isWritten;
  };
  shell.stdout.on("data", (bytes) => {
    if (/[0-9a-f-]{36} \d+\n$/.test(bytes.toString("latin1"))) point(`ended ${name}`);
  });
  return shell;
}

/** A shell that waits to become an agent: it is told how by the first line of its input. */
function watchNext(shell) {
  const end = shell.stdin.end.bind(shell.stdin);
  shell.stdin.end = (input = "") => {
    const [, file = "", verb = ""] = /\bexec (\S+) ?(\S*)/.exec(input) ?? [];
    const name = `${basename(file)} ${basename(verb)}`;
    point(`start ${name}`);
    const ended = end(input);
    shell.on("close", () => point(`ended ${name}`));
    point(`started ${name}`);
    return ended;
  };
  return shell;
}

const WRITES = /^\s*(insert|update|delete|begin|commit|replace|with\b[^]*\b(insert|update|delete)\b)/i;

/** The program takes Node's own SQLite where that is new enough: so it is told of one, which is ours. */
function watchDatabase() {
  const { getBuiltinModule, versions } = process;
  const isNew = isNewEnough(versions.sqlite ?? "0.0.0");
  const real = isNew ? getBuiltinModule("node:sqlite") : createRequire(program)("@photostructure/sqlite");
  let isWriting = false;
  const say = (sql) => {
    if (/^\s*begin immediate/i.test(sql)) isWriting = true;
    if (isWriting && WRITES.test(sql)) point(`sql ${sql.trim().replace(/\s+/g, " ").slice(0, 60)}`);
    if (/^\s*commit/i.test(sql)) isWriting = false;
  };
  class DatabaseSync extends real.DatabaseSync {
    exec(sql) {
      say(sql);
      return super.exec(sql);
    }
    prepare(sql) {
      const statement = super.prepare(sql);
      for (const name of ["run", "get", "all"]) {
        const call = statement[name].bind(statement);
        const watched = (...values) => {
          say(sql);
          return call(...values);
        };
        Object.defineProperty(statement, name, { value: watched });
      }
      return statement;
    }
  }
  Object.defineProperty(process, "versions", { value: { ...versions, sqlite: "3.99.0" } });
  process.getBuiltinModule = (name) => (name === "node:sqlite" ? { DatabaseSync } : getBuiltinModule(name));
}

function isNewEnough(version) {
  const [major, minor, patch] = version.split(".").map(Number);
  return major === 3 && (minor > 51 || (minor === 51 && patch >= 3));
}

if (command === "run" || command === "undo" || command === "worker") {
  watchFiles();
  watchPrograms();
  watchDatabase();
  syncBuiltinESMExports();
}
