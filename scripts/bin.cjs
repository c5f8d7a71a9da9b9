#!/usr/bin/env node
/* oxlint-disable typescript/no-require-imports */
// Loads chunks of the program as `require` would, with V8's compiled code beside them, as Python keeps its own: to compile
// two megabytes of source takes longer than most commands run. It lies in the program's folder, so who can change it can
// change the program. It is made by the first process that may write there; without it, everything works, only slower.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { Script } = require("node:vm");

const chunks = `${__dirname}/chunks`;
// V8 checks its version and flags, but of the source only the length: the build has an id of its own.
const compiled = `${chunks}/compiled/BUILD_ID-${process.version}-${process.arch}`;
const loaded = {};

function load(name) {
  if (loaded[name]) return loaded[name].exports;
  const module = (loaded[name] = { exports: {} });
  const filename = `${chunks}/${name}`;
  const source = `(function (exports, require, module) {${readFileSync(filename, "utf8")}\n})`;
  const cachedData = read(`${compiled}/${name}`);
  const script = new Script(source, { filename, cachedData });
  if (cachedData === undefined) keep(name, script);
  const run = script.runInThisContext();
  run(module.exports, (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id)), module);
  return module.exports;
}

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function keep(name, script) {
  try {
    mkdirSync(compiled, { recursive: true });
    const path = `${compiled}/${name}.${process.pid}`;
    // On disk before it has its name: V8 does not notice each kind of damage.
    writeFileSync(path, script.createCachedData(), { flag: "wx", flush: true });
    renameSync(path, `${compiled}/${name}`);
  } catch {
    // The folder is not ours, or full.
  }
}

load("start.js").$part("bin.js");
