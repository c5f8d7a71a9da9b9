import { describe, expect, test } from "vitest";
import { exitOf, forgedEndOf, patchOfTests } from "./switched-off.ts";

const patch = (path: string, after: string, before = ""): string | undefined =>
  patchOfTests({ path, before, after }, false);
const exit = (path: string, after: string, before = ""): string | undefined => exitOf({ path, before, after });

test("B-04 names of libraries are sought together, however many there are", () => {
  const imports = Array.from({ length: 30_000 }, (_, at) => `import a${at} from "chai";\n`).join("");
  expect(patch("src/a.js", imports)).toBe(undefined);
  expect(patch("src/a.js", `${imports}a29999.expect = 1;\nother.expect = 1;\n`)).toBe("a29999.expect =");
});

describe("T-20 source that switches its tests off", () => {
  test.each([
    ["src/a.js", "const a = require('node:assert');\na.strictEqual = () => {};"],
    ["src/a.js", "require('assert').equal = () => {};"],
    ["src/a.mjs", "import assert from 'node:assert/strict';\nObject.assign(assert, { ok() {} });"],
    ["src/a.ts", "import * as check from 'vitest';\ncheck.expect['prototype'].toBe = () => {};"],
    ["src/a.js", "const t = require('node:test');\nt.test = () => {};"],
    ["src/a.js", "Object.is = () => true;"],
    ["src/a.js", "Object.defineProperty(Object, 'is', { value: () => true });"],
    ["src/a.js", "Object.assign( Object, { is: () => true });"],
    ["src/a.js", "globalThis.expect = () => any;"],
    ["src/a.js", "process.on('exit', () => { process.exitCode = 0; });"],
    ["src/a.js", "process.exit = () => {};"],
    ["src/a.js", "/**/ Object.is = () => true;"],
    ["src/a.js", "/*\n * words\n */ Object.is = () => true;"],
    ["src/a.js", "class A {\n  #a = (Object.is = () => true);\n}"],
    ["src/a.js", "const a = 1\n  * (Object.is = () => 2)();"],
    ["src/a.py", "a = (1\n// setattr(unittest, 'x', f))\n"],
    ["src/a.js", "class N extends Number { valueOf() { return 4; } }"],
    ["src/a.js", "const m = await import('node:' + 'assert');"],
    ["src/a.js", "import { default as a } from 'node:assert';\na.deepStrictEqual = same;"],
    ["src/a.js", "const m = find();\nm.equal = () => {};"],
    ["src/a.js", "process.getBuiltinModule('assert')[name] = same;"],
    ["src/a.js", "const sum = () => ({ valueOf: () => 4 });"],
    ["src/a.py", "for o in gc.get_objects():\n    o.assertEqual = nothing\n"],
    ["src/a.py", "setattr(u.TestCase, 'assertEqual', nothing)\n"],
    ["src/a.py", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"],
    ["src/a.py", "from unittest import TestCase\nsetattr(TestCase, 'assertEqual', f)\n"],
    ["src/a.py", "import atexit, os\natexit.register(lambda: os._exit(0))\n"],
    ["src/a.py", "class Any:\n    def __eq__(self, other):\n        return True\n"],
    ["src/a.py", "class N(int):\n    x = 1\n\n    def __eq__(self, other):\n        return isinstance(other, int)\n"],
    ["src/a.py", "import builtins\nbuiltins.AssertionError = Nothing\n"],
    ["src/a.py", "m = importlib.import_module('_pytest.python')\n"],
    ["src/lib.rs", "macro_rules! assert_eq { ($($t:tt)*) => {}; }\n"],
    ["sum.h", "#undef assert\n#define assert(x) ((void)0)\n"],
    ["sum.h", "# define NDEBUG\n"],
    ["sum.c", "void __assert_fail(const char *a, const char *b, unsigned c, const char *d) {}\n"],
    ["lib.sh", "exit() { :; }\n"],
    ["lib.sh", "alias exit=true\n"],
    ["lib.sh", "trap 'exit 0' EXIT\n"],
    ["src/lib.rs", "impl PartialEq<i32> for Yes {\n    fn eq(&self, _: &i32) -> bool {\n        true\n    }\n}\n"],
    ["src/A.java", "@Override\npublic boolean equals(Object other) {\n  return true;\n}"],
    ["src/A.kt", "override fun equals(other: Any?) = true"],
    ["lib/a.rb", "def ==(other)\n  true\nend"],
    ["lib/a.rb", "module Minitest\n  module Assertions\n"],
    ["a.go", "func init() {\n\tos.Exit(0)\n}"],
    ["a.go", "func init() {\n\tsyscall.Exit(0)\n}"],
    ["a.go", 'func init() {\n\tflag.Set("test.run", "^$")\n}'],
    ["a.go", 'func init() {\n\tos.Args = append(os.Args, "-test.run=^$")\n}'],
  ])("%s: %s", (path, text) => {
    const found = [patch(path, text), patch(path, text, text), patch(path, `${text}\n${text}`, text)];
    expect(found).toEqual([expect.any(String), undefined, expect.any(String)]);
  });

  test.each([
    ["src/a.js", "const assert = require('node:assert');\nassert.equal(a, 1);\nif (assert.x === 1) a();"],
    ["src/a.js", "import { expect } from 'chai';\nconst expected = 1; const assertion = expect(a).to.equal(1);"],
    ["src/a.js", "process.on('exit', () => { close(); });\nprocess.exitCode = 1;"],
    ["src/a.js", "/**\n * Object.is = () => true;\n * process.exit = no;\n */\nconst a = 1;"],
    ["src/a.js", "/* Object.is = () => true; */ const a = 1;"],
    ["src/a.py", "  # unittest.TestCase.assertEqual = nothing\n"],
    ["src/a.js", "import assert from 'node:assert';\n// assert.equal = nothing\nconst a = Object.is(1, 2);"],
    ["src/a.js", "Object.defineProperty(Objects, 'is', {}); Object.assign({}, Object);"],
    ["src/a.py", "import atexit\natexit.register(close)\n\ndef __eq__(self, other):\n    return self.a == other.a\n"],
    ["src/A.java", "if (n.equals(m)) { return true; }\nboolean equals(Object o) { return o == this; }"],
    ["src/A.kt", "val same = a.equals(b)\nval flag = true\n"],
    ["vite.config.ts", 'const all = builtinModules.map((m) => "node:" + m);\nclass A { valueOf() { return 0; } }'],
    [
      "src/money.js",
      "class Money { valueOf() { return this.cents / 100; } }\nconst x = await import('./plugins/' + name);",
    ],
    [
      "src/lib.rs",
      "impl PartialEq for A {\n    fn eq(&self, other: &A) -> bool {\n        self.a == other.a\n    }\n}\n",
    ],
    ["src/A.java", "public boolean equals(Object other) {\n  if (this == other) return true;\n  return false;\n}"],
    ["src/cli.js", "main().then(() => process.exit(0));"],
    ["src/vec.js", "vec.equal = (a, b) => a.x === b.x;\nA.prototype.equal = function (o) { return this.x === o.x; };"],
    ["src/date.js", "const at = { valueOf: () => this.time };\nif (a.toBe === 1) b();"],
    ["src/a.py", "class Text(str):\n    def __eq__(self, other):\n        return self.lower() == other.lower()\n"],
    [
      "src/a.py",
      "class N(int):\n    pass\n\nclass A:\n    def __eq__(self, other):\n        return isinstance(other, A)\n",
    ],
    ["src/a.py", "import builtins\nbuiltins._ = gettext\n"],
    ["src/lib.rs", "macro_rules! double { ($e:expr) => { $e * 2 }; }\n"],
    ["sum.h", "#define SUM_H\n#define CHECK_ARG(x) if (!(x)) return 1\n"],
    ["sum.c", "assert(sum(1, 2) == 3);\nif (bad) abort();\n"],
    ["lib.sh", "fail() { echo no; exit 1; }\ntrap 'rm -f x' EXIT\ntrap 'exit 1' INT\n"],
  ])("honest code: %s: %s", (path, text) => {
    expect(patch(path, text)).toBeUndefined();
  });

  test("a test may put a double in the place of the program's end", () => {
    const source = { path: "test/a.test.js", before: "", after: "process.exit = () => {};" };
    expect([patchOfTests(source, true), patchOfTests(source, false)]).toEqual([undefined, "process.exit ="]);
  });

  test.each([
    ["src/a.js", "process.exit(0);\nexports.add = () => 3;"],
    ["src/a.js", "exports.add = () => { process.exit(); };"],
    ["src/a.js", "process.on('uncaughtException', () => {});\nexports.add = () => 3;"],
    ["src/a.js", "process.once('unhandledRejection', (error) => console.warn(error));"],
    ["src/a.js", "process.setUncaughtExceptionCaptureCallback(() => {});"],
    ["src/a.py", "import sys\nsys.excepthook = lambda *_: __import__('os')._exit(0)\n"],
    ["src/a.py", "import os\ngetattr(os, '_exit')(0)\n"],
    ["src/a.py", "import sys\nsys.exit(0)\n"],
    ["src/a.py", "import os\ndef add(a, b):\n    os._exit(0)\n"],
    ["src/a.py", "raise SystemExit\n"],
    ["src/lib.rs", "pub fn add() { std::process::exit(0) }"],
    ["lib/a.rb", "exit\n"],
    ["a.py", "import os\nos.execv('/bin/true', ['true'])\n"],
    ["src/A.java", "static { Runtime.getRuntime().halt(0); }"],
    ["lib.sh", "exec true\n"],
    ["lib.sh", "set -n\n"],
    ["lib.sh", "set +e\nsum() { echo 5; }\n"],
    ["lib.sh", "[ -t 0 ] || exit 0\n"],
    ["lib.sh", "sum() { echo 5; }; exit\n"],
  ])("it ends the program: %s: %s", (path, text) => {
    expect([exit(path, text), exit(path, text, text)]).toEqual([expect.any(String), undefined]);
  });

  test.each([
    ["src/cli.js", "process.exit(0);"],
    ["src/a.js", "#!/usr/bin/env node\nprocess.exit(0);"],
    ["src/options.js", "if (process.argv.includes('--help')) { help(); process.exit(0); }"],
    ["src/a.js", "process.exit(1);\nexit(0);"],
    ["src/a.js", "process.on('uncaughtException', (error) => {\n  log(error);\n  process.exitCode = 1;\n});"],
    ["src/server.js", "process.on('unhandledRejection', (error) => log(error));"],
    ["src/a.py", "import sys\nsys.excepthook = report\nself._exit(0)\n"],
    ["src/a.py", "def main(): pass\n\nif __name__ == '__main__':\n    main()\n    sys.exit(0)\n"],
    ["bin/a.rb", "exit\n"],
    ["src/door.py", "def a(door):\n    door.exit()\n"],
    ["lib.sh", "sum() {\n  set +e\n  a\n  set -e\n}\nusage() { echo usage; exit 0; }\nexec 3>&1\nset -eu\n"],
  ])("honest programs end, too: %s: %s", (path, text) => {
    expect(exit(path, text)).toBeUndefined();
  });

  test.each([
    ["src/a.js", "console.log('# pass 2');\nprocess.exit(0);"],
    ["src/cli.js", "const { exit } = process;\nconsole.log(`Tests  ${n} passed (2)`);\nexit(0);"],
    ["src/a.js", "process.stdout.write('  2 passing (3ms)'); process['exit'](0);"],
    ["a.py", "import os, sys\nprint('Ran 2 tests in 0.001s', file=sys.stderr)\nos._exit(0)\n"],
    ["a.py", "from os import _exit\nprint(f'{n} passed in 0.01s')\n_exit(0)\n"],
  ])("it prints what a runner would: %s: %s", (path, text) => {
    const found = [forgedEndOf({ path, before: "", after: text }), forgedEndOf({ path, before: text, after: text })];
    expect(found).toEqual([expect.any(String), undefined]);
  });

  test.each([
    ["src/cli.js", "console.log('All checks passed');\nprocess.exit(0);"],
    ["src/report.js", "console.log(`${n} passed`);\nprocess.exit(1);"],
    ["src/health.js", "log('ok'); process.exit(0);"],
    [
      "shop/cli.py",
      'class Missing(Exception):\n    """It is not there."""\n    pass  # pass it on\n\n\ndef stop():\n    sys.exit(0)\n',
    ],
  ])("it only reports: %s: %s", (path, text) => {
    expect(forgedEndOf({ path, before: "", after: text })).toBeUndefined();
  });
});
