import { transform } from "esbuild";

/**
 * An ES module as CommonJS. To load a file Node then needs no promise, no URL and no look at a package: that was a
 * quarter of the time of a short command (`npm run bench quick` compares both programs). Bundles are made as ES modules
 * all the same: only those can be split. The plain way is `node scripts/build.mjs --plain FOLDER`.
 * `idle`: the chunks that need not be loaded when nothing of them is used.
 */
export async function asCommonJs(text, { target, idle }) {
  const { code } = await transform(text.replace(/^#!.*/, ""), {
    format: "cjs",
    platform: "node",
    target,
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    minifySyntax: true,
  });
  return withLazyBuiltins(withoutUnused(withPlainExports(code), idle));
}

/**
 * Without a second object around the exports, whose every use would be one more call, without what would make it, and
 * without the list that only `import` reads.
 */
const withPlainExports = (code) =>
  code
    .replace(
      /module\.exports=__toCommonJS\((\w+)\);/,
      'module.exports=Object.defineProperty($1,"__esModule",{value:!0});',
    )
    .replace(/^(var __defProp=[^;]*;).*?(var __export=.*?),__copyProps=.*?return to\};var __toCommonJS=[^;]*;/, "$1$2;")
    .replace(/0&&\(module\.exports=\{[^}]*\}\);\s*$/, "");

/** A chunk names all that those who share it may need: most of it is used by none of them. */
const withoutUnused = (code, idle) =>
  code.replace(/\b(import_\w+)=require\("\.\/(?:chunks\/)?([\w-]+\.js)"\)/g, (whole, name, chunk) =>
    idle.has(chunk) && code.split(new RegExp(`\\b${name}\\b`)).length === 2 ? name : whole,
  );

/** Node has these at hand from its own start. */
const LOADED = new Set(["node:events", "node:fs", "node:path"]);

/**
 * Modules of Node's own are loaded when something of them is first used. `node:child_process` and `node:crypto` take
 * milliseconds, and most commands neither start a program nor hash anything.
 */
function withLazyBuiltins(code) {
  const builtins = [...code.matchAll(/\b(import_\w+)=require\("(node:[\w/]+)"\)/g)];
  return builtins
    .filter(([, , module]) => !LOADED.has(module))
    .reduce((text, [whole, name, module]) => {
      const [before, after] = text.split(whole);
      const used = (part) => part.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}_()`);
      return `${used(before)}${name},${name}_=()=>${name}??=require("${module}")${used(after)}`;
    }, code);
}
