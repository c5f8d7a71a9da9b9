import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Files, filesLook } from "../../../test/files-look.ts";
import { newRepository } from "../../../test/git-place.ts";
import { git, temporaryFolder } from "../../../test/temporary-folder.ts";
import { folderLook, resolveGate, treeLook, withBaseParts } from "../gate.ts";
import { parseJson } from "../../domain/json-text.ts";
import { partsOf } from "./parts.ts";
import { readShell } from "./shell.ts";
import { parseToml } from "../../domain/toml.ts";

const decides = async (run: string, files: Files, folder = ""): Promise<string[]> =>
  (await resolveGate(run, filesLook(files), folder)).decides.map(({ path, keys }) =>
    keys === undefined ? path : `${path}: ${keys.join(" ")}`,
  );
const scripts = (of: object, more: object = {}): string => JSON.stringify({ scripts: of, ...more });

describe("T-10 what decides", () => {
  test("is followed through the hooks of pre-commit that are the repository's own", async () => {
    const hooks = "[{ id: a, language: system, entry: sh a.sh }, { id: b, language: script, entry: b.sh }]";
    const files = {
      ".pre-commit-config.yaml": `repos:\n  - { repo: https://x.example, rev: v1, hooks: [{ id: x }] }\n  - { repo: local, hooks: ${hooks} }\n`,
      "a.sh": "",
      "b.sh": "",
    };
    const found = new Set(await decides("pre-commit run --all-files", files));
    expect([...found]).toEqual([".pre-commit-config.yaml", "a.sh", "b.sh"]);
  });

  test("is followed through commands, jobs and scripts of lefthook", async () => {
    const files = {
      "lefthook.yml": `pre-push:
  commands: { a: { run: sh a.sh, root: web/ } }
  jobs:
    - run: sh b.sh
    - group: { jobs: [{ script: c.sh, runner: bash }] }
  scripts: { d.sh: { runner: bash } }
commit-msg: { commands: { e: { run: sh e.sh } } }
`,
      ...Object.fromEntries(
        ["web/a.sh", "b.sh", ".lefthook/pre-push/c.sh", ".lefthook/pre-push/d.sh", "e.sh"].map((path) => [path, ""]),
      ),
    };
    const found = await decides("npx lefthook run pre-push", files);
    expect(found.filter((path) => path.endsWith(".sh"))).toEqual([
      "web/a.sh",
      "b.sh",
      ".lefthook/pre-push/c.sh",
      ".lefthook/pre-push/d.sh",
    ]);
    expect(found).toContainEqual(expect.stringMatching(/^lefthook\.yml: pre-push /));
  });

  test("is followed through shell scripts that code starts", async () => {
    const files = {
      "ci/check.py": "subprocess.run(['bash', 'ci/all.sh'])\n",
      "ci/all.sh": "sh more.sh\n",
      "more.sh": "",
    };
    expect(await decides("python3 ci/check.py", files)).toEqual(["ci/check.py", "ci/all.sh", "more.sh"]);
  });

  test("is read alike from a folder and from a commit", async () => {
    const files = {
      "package.json": scripts({ test: "make check" }),
      Makefile: "check:\n\tsh scripts/é.sh\n",
      "scripts/é.sh": "x",
    };
    const repository = await newRepository(files);
    const tree = treeLook(repository, git(repository.folder, "rev-parse", "HEAD"));
    const found = await resolveGate("npm test", tree);
    expect(found).toEqual(await resolveGate("npm test", folderLook(repository.folder)));
    expect(found.decides.map(({ path }) => path)).toContain("scripts/é.sh");
    expect(await tree.names("scripts")).toEqual(["é.sh"]);
    expect([await tree.has("scripts"), await tree.has("none"), await tree.text("none/x")]).toEqual([
      true,
      false,
      undefined,
    ]);
    expect(await Promise.all(["package.json", "scripts/é.sh", "scripts"].map((path) => tree.text(path)))).toEqual([
      files["package.json"],
      "x",
      undefined,
    ]);
    tree.close();
    const bin = temporaryFolder();
    const old = `case "$*" in *--batch-command*) exit 129 ;; esac; PATH='${process.env["PATH"]}' exec git "$@"`;
    writeFileSync(join(bin, "git"), `#!/bin/sh\n${old}\n`, { mode: 0o755 });
    const env = { ...repository.env, PATH: `${bin}:${process.env["PATH"]}` };
    const plain = treeLook({ ...repository, env, trees: new Map(), files: new Map() }, "HEAD");
    expect(await resolveGate("npm test", plain)).toEqual(found);
    plain.close();
  });

  test("are files that a check loads by folder, that make reads as a list, and that turn a script", async () => {
    const js = "for (const f of readdirSync('rules')) require('../rules/' + f)();";
    const py = "for p in Path('../rules').glob('*'):\n    import_module('rules.' + p.stem)\n";
    const rules = { "rules/a.js": "", "rules/b.py": "", "rules/c.md": "" };
    const sh = { "check.sh": "[ -f .skip ] && exit 0\ntest -f needed.txt\n", ".skipped": "" };
    const found = [
      await decides("node tools/check.js", { "tools/check.js": js, ...rules }),
      await decides("python3 tools/check.py", { "tools/check.py": py, ...rules }),
      await decides("make check", {
        Makefile: "T = $(shell cat LIST)\ncheck:\n\tfor t in $(T); do sh $$t; done\n",
        LIST: "",
      }),
      await decides("sh check.sh", sh),
    ];
    expect(found).toEqual([
      expect.arrayContaining(["rules/a.js", "rules/b.py"]),
      expect.arrayContaining(["rules/a.js", "rules/b.py"]),
      expect.arrayContaining(["LIST"]),
      ["check.sh", ".skip", ".skip/**"],
    ]);
    expect(found.flat()).not.toContain("rules/c.md");
  });

  test("names the script of each package, and where it runs", async () => {
    const files = {
      "package.json": scripts({}, { workspaces: ["packages/*", "!packages/c"] }),
      "packages/a/package.json": scripts({ test: "vitest run" }, { name: "@x/a" }),
      "packages/a/vitest.config.ts": "",
      "packages/b/package.json": scripts({ test: "jest" }, { name: "@x/b", jest: {} }),
      "packages/c/package.json": scripts({ test: "x" }),
    };
    const own = "scripts.pretest scripts.test scripts.posttest";
    const all = await decides("npm test --workspaces", files);
    expect(all).toContain(`packages/a/package.json: ${own}`);
    expect(all).toContain(`packages/b/package.json: ${own}`);
    expect(all).toContain("packages/b/package.json: jest");
    expect(all).toContain("packages/a/vitest.config.ts");
    expect(all.join()).not.toContain("packages/c");
    for (const run of [
      "npm test -w @x/a",
      "npm -w packages/a run test",
      "yarn workspace @x/a test",
      "pnpm --filter ./packages/a test",
      "npm --prefix packages/a test",
      "cd packages/a && npm t",
    ]) {
      const one = (await decides(run, files)).join();
      expect([run, one.includes("packages/a/package.json"), one.includes("packages/b")]).toEqual([run, true, false]);
    }
    for (const run of [
      "pnpm -r test",
      "turbo run test",
      "lerna run test",
      "nx run-many -t test",
      "yarn workspaces run test",
    ]) {
      expect([run, (await decides(run, files)).join().includes("packages/b/package.json")]).toEqual([run, true]);
    }
  });

  test.each([
    ["env A=b timeout -k 5 10 ./check.sh", "check.sh"],
    ["bash -euo pipefail -c 'sh check.sh'", "check.sh"],
    ["if true; then bash -e check.sh; fi", "check.sh"],
    ['S=check.sh; sh "$S"', "check.sh"],
    ["sh ${CHECK:-check.sh}", "check.sh"],
    ["(cd sub && sh x.sh) && sh check.sh", "check.sh"],
    ["./check.sh 2>&1 | tee log", "check.sh"],
    ["true 2>&1 && sh check.sh", "check.sh"],
    ["sh check.sh >log 2>&1", "check.sh"],
    ["time -p sh check.sh", "check.sh"],
    ["cat <<EOF | sh\nno\nEOF\nsh check.sh", "check.sh"],
    ["run-s 'a:*'", "check.sh"],
    ["concurrently 'npm:a:b' 'true'", "check.sh"],
    ["node --run a:b", "check.sh"],
    ["node -e \"require('child_process').execSync('sh check.sh')\"", "check.sh"],
  ])("is followed through %s", async (run, path) => {
    expect(await decides(run, { "package.json": scripts({ "a:b": "sh check.sh" }), "check.sh": "x" })).toContain(path);
  });

  test.each([
    ["sh < p.sh", "p.sh"],
    ["cat p.sh | bash -e", "p.sh"],
    ['eval "$(cat p.txt)"', "p.txt"],
    ['bash -c "$(cat p.txt)"', "p.txt"],
    ["python3 - < p.py", "p.py"],
    ["awk -f c.awk data", "c.awk"],
    ["sed -nf c.awk data", "c.awk"],
    ["grep -vqf p.txt out", "p.txt"],
    ["python3 -m tools.check", "tools/check.py"],
    ["uv run -m tools.all", "tools/all/__main__.py"],
    ["xargs -n1 node < p.txt", "p.txt"],
    ["grep -v '^#' p.txt | xargs eslint", "p.txt"],
    ["while read -r f; do test -f $f; done < p.txt", "p.txt"],
    ["for f in $(cat p.txt); do node $f; done", "p.txt"],
    ['find checks -name "*.sh" | xargs -n1 sh', "checks/deep/a.sh"],
    ["find checks -name '*.sh' -exec sh {} \\;", "checks/deep/a.sh"],
  ])("T-10 a file that the command reads as its program or its list decides: %s", async (run, path) => {
    const names = ["p.sh", "p.py", "p.txt", "c.awk", "tools/check.py", "tools/all/__main__.py", "checks/deep/a.sh"];
    const found = await decides(run, Object.fromEntries(names.map((name) => [name, "x"])));
    expect(found.filter((one) => !one.includes("*"))).toEqual([path]);
  });

  test.each([
    "node app.js < p.txt | diff - out",
    "python3 -m calc < p.txt | grep -q 3",
    "find src -name '*.js' | xargs prettier --check",
    "find . -name '*.txt' | xargs python3 app.py",
    "awk -f sum.awk p.txt | grep -q 3",
    "cat p.txt | grep -q done",
    '[ "$(cat p.txt)" = hi ]',
  ])("T-10 a file that a gate looks at stays free: %s", async (run) => {
    const names = ["app.js", "calc.py", "p.txt", "sum.awk", "src/a.js"];
    expect(await decides(run, Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
  });

  test.each([
    ["from lib import verify", "tools/lib.py"],
    ["import os, lib", "tools/lib.py"],
    ["from . import lib", "tools/lib.py"],
    ["from tools.lib import (", "tools/lib.py"],
    ["from tools import pack", "tools/pack/__init__.py"],
    ["from checks.rules import *", "checks/rules.py"],
  ])("T-10 a module beside a check of Python decides: %s", async (text, path) => {
    const files = { "tools/lib.py": "x", "tools/pack/__init__.py": "x", "checks/rules.py": "x", "app/lib.py": "x" };
    const product = "\nfrom app import lib as it\nimport calc\n";
    const found = await decides("python3 tools/run.py", { ...files, "tools/run.py": text + product, "calc.py": "x" });
    expect(found).toEqual(["tools/run.py", path]);
  });

  test.each<[string, string, string, string]>([
    ["pytest", "conftest.py", 'pytest_plugins = ["support.fix"]', "support/fix.py"],
    ["pytest", "tests/conftest.py", "from support.fix import *", "support/fix.py"],
    ["pytest", "pytest.ini", "[pytest]\naddopts = -q -p support.fix\n", "support/fix.py"],
    ["pytest", "pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-p", "support.fix"]\n', "support/fix.py"],
    ["eslint .", ".eslintrc.json", '{"extends": ["eslint:recommended", "./lint/base"]}', "lint/base.js"],
    ["eslint .", ".eslintrc.yml", "extends: ./lint/base.js\n", "lint/base.js"],
    ["eslint .", "eslint.config.js", 'import base from "./lint/base"', "lint/base.js"],
    ["vitest run", "vitest.config.ts", 'import { a } from "./lint/base.js"', "lint/base.js"],
    ["jest", "jest.config.js", 'module.exports = { preset: "./lint" }', "lint/jest-preset.js"],
    ["jest", "jest.config.js", "module.exports = { map: { a: '<rootDir>/lint/base.js' } }", "lint/base.js"],
    ["playwright test", "playwright.config.ts", "x = { globalSetup: require.resolve('./lint/base') }", "lint/base.js"],
    ["playwright test", "playwright.config.ts", "x = { globalSetup: join(here, 'lint/base') }", "lint/base.js"],
    ["pylint src", ".pylintrc", "[MAIN]\nload-plugins=other,support.fix\n", "support/fix.py"],
    ["mypy src", "mypy.ini", "[mypy]\nplugins = support.fix\n", "support/fix.py"],
    ["mvn test", "pom.xml", "<suiteXmlFile>lint/suite.xml</suiteXmlFile>", "lint/suite.xml"],
    ["task t", "Taskfile.yml", "dotenv: [lint/suite.xml]\ntasks: { t: { cmds: [x] } }\n", "lint/suite.xml"],
    ["mocha", ".mocharc.yml", "require:\n  - lint/base.js\n", "lint/base.js"],
    ["ruff check .", "ruff.toml", 'extend = "lint/ruff.toml"\n', "lint/ruff.toml"],
    ["phpunit", "phpunit.xml", '<phpunit bootstrap="lint/boot.php">', "lint/boot.php"],
    ["rspec", ".rspec", "--require spec_helper\n", "spec/spec_helper.rb"],
  ])("T-10 a file that a configuration names decides: %s, %s, %s", async (run, config, text, path) => {
    const names = [
      "support/fix.py",
      "lint/base.js",
      "lint/jest-preset.js",
      "lint/ruff.toml",
      "lint/boot.php",
      "lint/suite.xml",
    ];
    const files = Object.fromEntries([...names, "spec/spec_helper.rb", "src/env.js"].map((name) => [name, "x"]));
    expect(await decides(run, { ...files, [config]: text })).toContain(path);
  });

  test.each([
    'for f in *.html; do grep -q title "$f" || exit 1; done',
    'for f in *.html; do sh tools.sh "$f" || exit 1; done',
    "find . -name '*.html' -exec jq . {} \\\\;",
    "find . -name '*.html' | xargs grep -L node",
    'for f in checks/*; do sh "$f"; done; for f in *.html; do grep -q title "$f" || exit 1; done',
    "find . -name '*.html' | while read -r page; do grep -q title \"$page\" || exit 1; done",
    'for page in a.html b.html; do [ -f "$page" ] || exit 1; done',
    'for f in *.html; do for link in $(sed -n "s/x/y/p" "$f"); do [ -f "$link" ] || exit 1; done; done',
    'for f in *.html; do n=$(basename "$f"); while read -r line; do echo "$n $line"; done < "$f"; done',
    'for f in *.html *.py; do echo "$f"; python3 -m py_compile "$f" || exit 1; done',
  ])("T-10 files that a loop only reads are the work: %s", async (run) => {
    expect(await decides(run, { "a.html": "x", "b.html": "x", "c.py": "x" })).not.toContainEqual(
      expect.stringMatching(/^[abc]\./),
    );
  });

  test.each([
    'for p in packages/*; do (cd "$p" && npm test) || exit 1; done',
    "for p in packages/api packages/ui; do make -C $p test; done",
    'for p in packages/*/; do npx tsc -p "$p"; done',
    "for p in packages/*; do ln -sfn ../../$p node_modules/$(basename $p); done",
  ])("T-10 packages over which a loop goes are the work: %s", async (run) => {
    expect(await decides(run, { "packages/api/index.js": "x", "packages/ui/index.ts": "x" })).not.toContainEqual(
      expect.stringMatching(/index/),
    );
  });

  test.each([
    ["for c in checks/*; do (cd $c && node .) || exit 1; done", "checks/a/index.js"],
    ["for p in packages/*; do node $p || exit 1; done", "packages/a/index.js"],
    ["for p in packages/a; do node $p || exit 1; done", "packages/a/index.js"],
    ["for p in packages/*; do node $p/rules.js || exit 1; done", "packages/a/rules.js"],
    ["for p in packages/*; do (cd $p && sh ../b) || exit 1; done; for f in packages/*; do $f; done", "packages/b"],
  ])("T-10 what a loop starts of the folders over which it goes decides: %s", async (run, path) => {
    const files = ["checks/a/index.js", "packages/a/index.js", "packages/a/rules.js", "packages/b"];
    expect(await decides(run, Object.fromEntries(files.map((name) => [name, "x"])))).toContain(path);
  });

  test.each([
    'for f in a.html; do sh "$f"; done',
    'for f in x.html; do grep -q x "$f"; done; for f in *.html; do sh "$f"; done',
    'find . -name \'*.html\' | while read -r page; do echo "$page"; sh "$page"; done',
    'for f in *.html; do echo "$f"; newman run "$f"; done',
    'for f in *.html; do echo "$f"; timeout 9 sh -e "$f"; done',
    'for f in *.html; do echo "$f"; cat "$f" | sh; done',
    'for f in *.html; do echo "$f"; sh < "$f"; done',
    'for f in *.html; do cat "$f" > all.sh; done; sh all.sh',
    'for f in *.html; do echo "$f"; out=$(cat x; sh "$f"); done',
    'for f in *.html; do echo "$f"; FILE="$f" sh run.sh; done',
    'for f in *.html; do echo "$f"; export FILE="$f"; sh run.sh; done',
    'for f in *.html; do echo "$f"; awk -f "$f" x; done',
    'for f in *.html; do g=$f; echo "$f"; . "./$g"; done',
  ])("T-10 files that a loop may start decide: %s", async (run) => {
    expect(await decides(run, { "a.html": "x" })).toContain("a.html");
  });

  test("T-10 the product that a configuration names stays free", async () => {
    const files = {
      "vitest.config.ts":
        'import "./src/env.js"; import p from "./package.json"; export default { alias: { a: "./lib.js" } }',
      "package.json": JSON.stringify({ main: "./lib.js", exports: { require: "./lib.js" } }),
      "conftest.py": "from app.a import A\n",
      "src/env.js": "x",
      "lib.js": "x",
      "app/a.py": "x",
    };
    expect(await decides("vitest run && pytest", files)).toEqual(["conftest.py", "vitest.config.ts"]);
  });

  test("begins where the workspace is, below the top of the repository", async () => {
    const files = { "package.json": "{}", "api/package.json": scripts({ test: "../check.sh" }), "check.sh": "x" };
    expect(await decides("npm test", files, "api")).toEqual(expect.arrayContaining(["check.sh"]));
    expect(await decides("sh ../../out.sh", files, "api")).toEqual([]);
  });

  test.each(["cd client && npm test", "npm --prefix client test", "cd client && node all.js"])(
    "T-10 a folder with the name of a product does not hide the check: %s",
    async (run) => {
      const files = {
        "client/package.json": scripts({ test: "node all.js" }),
        "client/all.js": "import './index.js'",
        "client/index.js": "x",
      };
      expect(await decides(run, files)).toContain("client/all.js");
      expect(await decides(run, files)).not.toContain("client/index.js");
      expect(await decides("cd client && node src/a.js", { "client/src/a.js": "x" })).toEqual([]);
    },
  );

  test("a path from the script's own folder is printed plainly", async () => {
    const files = { "scripts/ci.sh": 'here=$(cd "$(dirname "$0")" && pwd); . "$here/inner"', "scripts/inner": "x" };
    const { decides: found } = await resolveGate("sh scripts/ci.sh", filesLook(files));
    expect(found).toContainEqual(expect.objectContaining({ why: "`. scripts/inner` starts it" }));
  });

  test("what cannot be followed is said", async () => {
    const { notFollowed } = await resolveGate(
      '$RUNNER x; (cd "$D" && sh a.sh); node tools/x.mjs; cargo test',
      filesLook({ "tools/x.mjs": "x" }),
    );
    expect(notFollowed).toEqual([
      "`… x`: only the shell knows which program that is",
      "`sh a.sh`: runs in a folder that only the shell knows",
      expect.stringContaining("tools/x.mjs: code"),
      "`cargo`: build scripts (build.rs) and procedural macros",
    ]);
  });

  test("scripts that call each other, and very long texts, come to an end", async () => {
    await decides("npm run a", { "package.json": scripts({ a: "npm run b", b: "npm run a" }) });
    await decides("make a", { Makefile: "a: b\n\t$(MAKE) b\nb: a\n\t$(MAKE) a\nX = $(X)\n" });
    for (const text of ["$(".repeat(2000), '"'.repeat(999), "a|".repeat(5000), "<<".repeat(500), "\\"])
      readShell(text, "");
  });
});

describe("parts of files", () => {
  test("TOML", () => {
    const text =
      '# c\na = 1 # d\n"b c".d = "x\\u0041\\n"\n[t.u]\nl = [1, # e\n "2", {k = \'v\'}]\nm = """\n\\\n  a"b"""\n[[p]]\nn = true\n[[p]]\n[p.q]\nr = 2020-01-01 10:00:00\n';
    expect(JSON.parse(JSON.stringify(parseToml(text)))).toEqual({
      a: "1",
      "b c": { d: "xA\n" },
      t: { u: { l: ["1", "2", { k: "v" }], m: 'a"b' } },
      p: [{ n: "true" }, { q: { r: "2020-01-01 10:00:00" } }],
    });
    for (const broken of ["a", "a = ", "[a", "a = [1", 'a = "x', "a = 1\n[a.b]\n"])
      expect(parseToml(broken)).toBe(undefined);
  });

  test("JSON with comments, INI and go.mod", () => {
    expect(parseJson('{ // a\n"a": "//x", /* b */ "c": [1,], }')).toEqual({ a: "//x", c: [1] });
    expect(partsOf("tox.ini", "[testenv]\ncommands =\n  a\n  b\n# c\nx: 1\n")).toMatchObject({
      testenv: { commands: "\na\nb", x: "1" },
    });
    expect(partsOf("go.mod", "module x // y\nreplace (\n\ta => b\n)\n")).toEqual({
      module: ["x"],
      replace: ["a => b"],
    });
  });

  test("T-10 a second run gets the base's parts in the candidate's file", () => {
    const [before, after] = ['{"jest":{"a":1},"x":{"y":{"z":1}}}', '{"jest":{},"dependencies":{"b":"1"},"x":{}}'];
    expect(JSON.parse(withBaseParts(["jest", "x.y"], before, after) ?? "")).toEqual({
      jest: { a: 1 },
      dependencies: { b: "1" },
      x: { y: { z: 1 } },
    });
    expect(withBaseParts([], before, after)).toBe(undefined);
    const toml = '[project]\nx = 1\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.ruff]\n';
    expect(withBaseParts(["tool.pytest"], toml, toml.replace("x = 1", "x = 2").replace("-q", "--co"))).toBe(
      '[project]\nx = 2\n\n[tool.ruff]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    );
    expect(withBaseParts(["tool.pytest"], "[project]\n", toml)).toBe("[project]\nx = 1\n\n[tool.ruff]\n");
    expect(withBaseParts(["rule.check"], "check:\n\ta\n", "check:\n\tb\n")).toBe(undefined);
    expect(withBaseParts(["packages"], "packages: [a]\n", "packages: []\n")).toBe(undefined);
    expect(withBaseParts(["replace"], "module x\n", "module x\nreplace a => b\n")).toBe(undefined);
    expect(withBaseParts(["a.b"], "a = {b = 1}\n", "a = {b = 2}\n")).toBe(undefined);
    expect(withBaseParts(["tool:pytest.addopts"], "[x]\n[tool:pytest]\naddopts = -q\n", "[x]\ny=1\n")).toBe(
      "[x]\ny=1\n\n[tool:pytest]\naddopts = -q\n",
    );
  });
});

test("B-04 a command with any number of words is read like any other", async () => {
  const script = `node ${"a ".repeat(150_000)}\n./check\n`;
  const { decides } = await resolveGate("sh ci.sh", filesLook({ "ci.sh": script, check: "" }));
  expect(decides.map(({ path }) => path)).toContain("check");
});

test("B-04 a signal is heard while a long script is read", async () => {
  let isHeard = false;
  const hear = (): void => void (isHeard = true);
  process.once("SIGUSR2", hear);
  try {
    const reading = resolveGate("sh ci.sh", filesLook({ "ci.sh": "./a\n".repeat(50_000) }));
    process.kill(process.pid, "SIGUSR2");
    await reading;
    expect(isHeard).toBe(true);
  } finally {
    process.off("SIGUSR2", hear);
  }
});
