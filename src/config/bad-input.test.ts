import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RalphError } from "../domain/error.ts";
import { loadConfig, type ConfigRequest } from "./config.ts";
import { configKeys } from "./keys.ts";
import { byLane } from "../../test/lane.ts";
import { anyText } from "../../test/any-text.ts";

let root = "";

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "ralphctl-bad-")));
  await mkdir(join(root, ".ralph"));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

const POINTS = "run-start, iteration-start, iteration-end, task-done, task-failed, needs-human, limit, run-end";

const PLACE = ".ralph/config.yaml";

async function errorOf(text: string | Uint8Array, request: Partial<ConfigRequest> = {}): Promise<RalphError> {
  await writeFile(join(root, PLACE), text);
  const error: unknown = await loadConfig({ cwd: root, env: {}, ...request }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RalphError)) throw new Error(`expected a RalphError, got ${String(error)}`);
  return error;
}

/** What a row says is the first line up to the place; the place is put behind it. */
const at = (sentence: string, line: number, column: number): string =>
  `${sentence} (${PLACE}, line ${line}, column ${column})`;

const DURATION = "a duration above zero, written like 30s, 5m, 1m30s, 2h or 90 (seconds)";
const SIZE = "a size above zero, written like 64KB, 5MB, 1GB or 4096 (bytes; 1KB is 1024)";
const NAME = "a name of 1 to 64 letters, digits, dots, underscores or hyphens";

test.each([
  ["a tab as indentation", "limits:\n\tcost: 5\n", at("A tab is used as indentation", 2, 1)],
  ["a duplicate key", "plan: auto\nplan: []\n", at("Duplicate key `plan`", 2, 1)],
  ["a duplicate key inside", "limits:\n  cost: 1\n  cost: 2\n", at("Duplicate key `cost`", 3, 3)],
  ["two documents", "plan: auto\n---\nplan: auto\n", at("A second YAML document starts here", 2, 1)],
  ["a list at the top", "- a\n", at("The configuration must be a mapping of keys to values, not a list", 1, 1)],
  ["a word at the top", "hello\n", at('The configuration must be a mapping of keys to values, not "hello"', 1, 1)],
  ["an open bracket", "specs: { dirs: [a, b }\n", at("The indentation or a closing bracket is wrong", 1, 22)],
  ["two keys in a line", "promise: a: b\n", at("Two keys are on one line", 1, 10)],
  ["a tag", "promise: !!js/function x\n", at("YAML tags are not supported", 1, 10)],
  ["a key that is a list", "? [a]\n: 1\n", at("A list or a mapping cannot be a key", 1, 3)],
  ["an alias without an anchor", "plan: *p\n", at("The alias *p has no anchor", 1, 7)],
  ["a cycle of anchors", "limits: &a\n  time: *a\n", at("The alias *a is inside the value that it refers to", 2, 9)],
  [
    "a cycle through two anchors",
    "a: &a\n  b: &b [*a]\n",
    at("The alias *a is inside the value that it refers to", 2, 10),
  ],
  ["__proto__ as a key", "__proto__: { polluted: yes }\n", at("`__proto__` cannot be a key", 1, 1)],
  ["__proto__ as a harness", "harnesses: { __proto__: { model: x } }\n", at("`__proto__` cannot be a key", 1, 14)],
  ["constructor as a key", "constructor: { a: 1 }\n", at("Unknown key constructor", 1, 1)],
  ["an unknown key", "harnes: claude\n", at("Unknown key harnes; the closest is harness", 1, 1)],
  ["an unknown key inside", "limits:\n  cots: 5\n", at("Unknown key limits.cots; the closest is limits.cost", 2, 3)],
  ["a key of another group", "cost: 5\n", at("Unknown key cost; the closest is limits.cost", 1, 1)],
  ["a key that nothing resembles", "zebra: 5\n", at("Unknown key zebra", 1, 1)],
  [
    "an unknown key of a harness",
    "harnesses: { x: { modle: a } }\n",
    at("Unknown key harnesses.x.modle; the closest is harnesses.x.model", 1, 19),
  ],
  ["an unknown key of a gate", "gates:\n  - { id: a, run: b, retry: 1 }\n", at("Unknown key gates[0].retry", 2, 22)],
  [
    "an unknown key of a hook",
    "hooks: [{ id: a, run: b, paralel: true }]\n",
    at("Unknown key hooks[0].paralel; the closest is hooks[0].parallel", 1, 26),
  ],
  ["text for a number", 'limits:\n  cost: "abc"\n', at('limits.cost must be a number greater than 0, not "abc"', 2, 9)],
  ["zero cost", "limits: { cost: 0 }\n", at("limits.cost must be a number greater than 0, not 0", 1, 17)],
  ["endless cost", "limits: { cost: .inf }\n", at("limits.cost must be a number greater than 0, not Infinity", 1, 17)],
  [
    "zero attempts",
    "limits: { attempts: 0 }\n",
    at("limits.attempts must be a whole number of at least 1, not 0", 1, 21),
  ],
  [
    "half an attempt",
    "limits: { attempts: 1.5 }\n",
    at("limits.attempts must be a whole number of at least 1, not 1.5", 1, 21),
  ],
  [
    "a negative count",
    "limits: { newTasks: -1 }\n",
    at("limits.newTasks must be a whole number of at least 0, not -1", 1, 21),
  ],
  [
    "nothing where a value is needed",
    "limits:\n  errors: ~\n",
    at("limits.errors must be a whole number of at least 1, not empty", 2, 11),
  ],
  ["a text for a switch", "git: { commit: yes }\n", at('git.commit must be true or false, not "yes"', 1, 16)],
  ["a zero duration", "limits: { gate: 0s }\n", at(`limits.gate must be ${DURATION}, not "0s"`, 1, 17)],
  ["a bare zero duration", "limits: { gate: 0 }\n", at(`limits.gate must be ${DURATION}, not 0`, 1, 17)],
  ["a negative duration", "limits: { gate: -5 }\n", at(`limits.gate must be ${DURATION}, not -5`, 1, 17)],
  ["a fraction of a second", "limits: { gate: 1.5 }\n", at(`limits.gate must be ${DURATION}, not 1.5`, 1, 17)],
  ["an unknown unit", "limits: { gate: 1d }\n", at(`limits.gate must be ${DURATION}, not "1d"`, 1, 17)],
  ["a list for a duration", "limits: { gate: [1] }\n", at(`limits.gate must be ${DURATION}, not a list`, 1, 17)],
  ["a zero wait", "limits: { wait: 0 }\n", at(`limits.wait must be ${DURATION}, not 0`, 1, 17)],
  ["a size with an unknown unit", "git: { maxFile: 5TB }\n", at(`git.maxFile must be ${SIZE}, not "5TB"`, 1, 17)],
  ["a group that is a list", "limits: [1]\n", at("limits must be a mapping of keys to values, not a list", 1, 9)],
  ["a group that is a word", "specs: docs\n", at('specs must be a mapping of keys to values, not "docs"', 1, 8)],
  ["a word for a list", "specs: { dirs: docs }\n", at('specs.dirs must be a list of paths, not "docs"', 1, 16)],
  [
    "a number in a list",
    "specs: { dirs: [a, 5] }\n",
    at("specs.dirs[1] must be one line of text that is not empty, not 5", 1, 20),
  ],
  [
    "an unknown choice",
    "models: { strategy: best }\n",
    at('models.strategy must be one of fixed, cost-optimized, escalate, plan-then-execute, not "best"', 1, 21),
  ],
  ["an unknown plan", "plan: none\n", at('plan must be auto or a list of paths, not "none"', 1, 7)],
  ["an empty plan file", "plan: [a.md, '']\n", at('plan[1] must be one line of text that is not empty, not ""', 1, 14)],
  ["no harness", "harness: []\n", at("harness must name at least one harness", 1, 10)],
  ["a harness twice", "harness: [a, b, a]\n", at("harness[2] repeats the name a", 1, 17)],
  ["a harness name with a slash", "harness: a/b\n", at(`harness must be ${NAME}, not "a/b"`, 1, 10)],
  [
    "a harness name that is too long",
    `harness: ${"a".repeat(65)}\n`,
    at(`harness must be ${NAME}, not "${"a".repeat(57)}..."`, 1, 10),
  ],
  ["a setting under a bad name", "harnesses: { a b: {} }\n", at(`The key harnesses."a b" must be ${NAME}`, 1, 14)],
  [
    "a number for an argument",
    "harnesses: { a: { args: [-n, 5] } }\n",
    at("harnesses.a.args[1] must be text, not 5", 1, 30),
  ],
  [
    "a bad variable name",
    "harnesses: { a: { env: { 1A: x } } }\n",
    at("The key harnesses.a.env.1A must be the name of an environment variable", 1, 26),
  ],
  [
    "a gate without a command",
    "gates:\n  - id: a\n",
    at("gates[0].run is missing; it must be text that is not empty", 2, 5),
  ],
  ["two gates of one id", "gates: [{ id: a, run: b }, { id: a, run: c }]\n", at("gates[1] repeats the id a", 1, 28)],
  [
    "a gate that is a word",
    "gates: [npm test]\n",
    at('gates[0] must be a mapping of keys to values, not "npm test"', 1, 9),
  ],
  ["a word for gates", "gates: none\n", at('gates must be auto or a list of gates, not "none"', 1, 8)],
  [
    "a blank command",
    "gates: [{ id: a, run: ' ' }]\n",
    at('gates[0].run must be text that is not empty, not " "', 1, 23),
  ],
  [
    "a hook that does nothing",
    "hooks: [{ id: a }]\n",
    at("hooks[0] must have exactly one of run, prompt, workflow and use", 1, 9),
  ],
  [
    "a hook that does two things",
    "hooks: [{ id: a, run: b, prompt: c }]\n",
    at("hooks[0] must have exactly one of run, prompt, workflow and use", 1, 9),
  ],
  ["two hooks of one id", "hooks: [{ id: a, run: b }, { id: a, prompt: c }]\n", at("hooks[1] repeats the id a", 1, 28)],
  [
    "a hook at another time",
    "hooks: [{ id: a, run: b, on: never }]\n",
    at(`hooks[0].on must be one of ${POINTS}, or a list of them, not "never"`, 1, 30),
  ],
  [
    "a hook at another time among others",
    "hooks: [{ id: a, run: b, on: [run-end, never] }]\n",
    at(`hooks[0].on[1] must be one of ${POINTS}, or a list of them, not "never"`, 1, 40),
  ],
  [
    "a hook twice at one time",
    "hooks: [{ id: a, run: b, on: [run-end, run-end] }]\n",
    at("hooks[0].on[1] repeats the point run-end", 1, 40),
  ],
  ["a hook without a name", "hooks: [{ run: b }]\n", at("hooks[0] must have an id", 1, 9)],
  [
    "a hook that nobody ships",
    "hooks: [{ use: notfiy }]\n",
    at('hooks[0].use must be one of notify, webhook, learning, not "notfiy"', 1, 16),
  ],
  [
    "one shipped hook twice",
    "hooks: [{ use: notify }, { use: notify, on: run-start }]\n",
    at("hooks[1] repeats the id notify", 1, 26),
  ],
  [
    "a webhook to nowhere",
    "hooks: [{ use: webhook }]\n",
    at("hooks[0] must have a url, to which the webhook sends", 1, 9),
  ],
  [
    "an address for a command",
    "hooks: [{ id: a, run: b, url: 'https://example.com' }]\n",
    at("hooks[0] has a url, which only use: webhook takes", 1, 9),
  ],
  ["a list for plugins", "plugins: [a]\n", at("plugins must be a mapping of names to paths, not a list", 1, 10)],
  ["an empty promise", "promise: ''\n", at('promise must be one line of text that is not empty, not ""', 1, 10)],
  [
    "a promise of two lines",
    'promise: "a\\nb"\n',
    at('promise must be one line of text that is not empty, not "a\\nb"', 1, 10),
  ],
  ["a promise with a tag", "promise: <done>\n", at('promise must be text without < and >, not "<done>"', 1, 10)],
  [
    "a promise with blanks",
    "promise: ' DONE'\n",
    at('promise must be text without spaces at its ends, not " DONE"', 1, 10),
  ],
  ["the word that stops a run", "promise: FAILURE\n", at("promise must not be FAILURE, which stops a run", 1, 10)],
  ["a number for a promise", "promise: 42\n", at("promise must be one line of text that is not empty, not 42", 1, 10)],
  [
    "windows line ends before it",
    "plan: auto\r\nlimits:\r\n  cost: x\r\n",
    at('limits.cost must be a number greater than 0, not "x"', 3, 9),
  ],
  ["a date", "%YAML 1.1\n---\npromise: 2001-01-01\n", at("This type of value is not supported", 3, 10)],
])("%s is named with its place", async (_name, text, message) => {
  const error = await errorOf(text);
  expect([error.kind, error.message]).toEqual(["config", message]);
  expect(error.hint).toMatch(/^[A-Z][a-z]+ /);
});

test("the hint of a typo is what to write instead", async () => {
  expect((await errorOf("limits: { cots: 5 }")).hint).toBe("Write `limits.cost`");
  expect((await errorOf("promise: 5")).hint).toBe("Put quotes around it");
});

test("nothing of a bad file reaches the prototype of objects", async () => {
  await errorOf("__proto__: { polluted: true }\nharnesses: { a: { env: { __proto__: { polluted: true } } } }\n");
  expect(({} as Record<string, unknown>)["polluted"]).toBe(undefined);
});

test("all problems of a file come together, in its order: six sentences, then how many more", async () => {
  const bad = Array.from({ length: 8 }, (_, index) => `bad${index}: 1`).join("\n");
  const error = await errorOf(`limits:\n  cost: x\n${bad}\n`);
  expect(error.message.split("\n")).toEqual([
    at('limits.cost must be a number greater than 0, not "x"', 2, 9),
    ...[0, 1, 2, 3, 4].map((index) => at(`Unknown key bad${index}`, index + 3, 1)),
    "and 3 more",
  ]);
});

test("an alias bomb is refused at once", async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`);
  const started = performance.now();
  const error = await errorOf(`a0: &a0 [x]\n${lines.join("\n")}\n`);
  expect([error.kind, error.message.split(" (")[0]]).toEqual([
    "config",
    "The anchors and aliases expand to too many values",
  ]);
  expect(performance.now() - started).toBeLessThan(5000);
});

test("an anchor that is used honestly works", async () => {
  await writeFile(join(root, PLACE), "limits: { gate: &g 3m, hook: *g }\n");
  const { config } = await loadConfig({ cwd: root, env: {} });
  expect([config.limits.gate, config.limits.hook]).toEqual([180_000, 180_000]);
});

test.each([
  ["brackets", "[".repeat(1_000_000)],
  ["braces", "{".repeat(1_000_000)],
  ["dashes", "- ".repeat(500_000)],
  ["indentation", Array.from({ length: 1000 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
])("endless %s end in a sentence", async (_name, text) => {
  const error = await errorOf(text);
  expect([error.kind, error.message.split(" (")[0]]).toEqual(["config", "The values are nested too deeply"]);
});

test.each([
  ["keys", Array.from({ length: 90_000 }, (_, index) => `k${index}:`).join("\n")],
  ["commas", `[${",".repeat(1_000_000)}]`],
  ["quotes", '"'.repeat(1_000_000)],
])("B-04 a megabyte of %s ends in a sentence", async (_name, text) => {
  const error = await errorOf(text);
  expect([error.kind, error.message.split(" (")[0]]).toEqual(["config", "The file has too many entries"]);
});

test.each([
  ["unknown keys", Array.from({ length: 5_000 }, (_, index) => `k${index}: ${"x".repeat(40)}`).join("\n")],
  ["one key", `${"a: 1\n".repeat(5_000)}#${"x".repeat(300_000)}`],
  ["syntax errors", `${"a: ]\n".repeat(5_000)}#${"x".repeat(300_000)}`],
  ["aliases", `a: &a x\nb:\n${"  - *a\n".repeat(5_000)}`],
])("a long file of %s ends in seven lines, soon", async (_name, text) => {
  const started = performance.now();
  const error = await errorOf(text);
  expect(error.kind).toBe("config");
  expect(error.message.split("\n").length).toBeLessThanOrEqual(7);
  expect(performance.now() - started).toBeLessThan(20_000);
});

test.each([
  ["a NUL", Buffer.from("plan: auto\n\0"), "is not text: line 2 has a NUL byte"],
  ["invalid UTF-8", Buffer.from([0x61, 0x3a, 0x20, 0xff]), "has invalid UTF-8 in line 1"],
  ["UTF-16", Buffer.from("\uFEFFplan: auto", "utf16le"), "is not text: line 1 has a NUL byte"],
])("%s is no configuration", async (_name, bytes, reason) => {
  const error = await errorOf(bytes);
  expect([error.kind, error.message]).toEqual(["data", `The configuration \`${PLACE}\` ${reason}`]);
});

test("any text either loads or is refused with a sentence", async () => {
  const words = [
    "limits",
    "cost",
    "harnesses",
    "claude",
    "gates",
    "plan",
    "__proto__",
    "&a ",
    "*a",
    "!!x",
    "%YAML 1.1\n",
  ];
  const signs = [
    ": ",
    "\n",
    "  ",
    "\t",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    '"',
    "'",
    "|",
    ">",
    "#",
    "? ",
    "---\n",
    "~",
    "5",
    "1m",
  ];
  const yamlish = fc.array(fc.constantFrom(...words, ...signs), { maxLength: 40 }).map((parts) => parts.join(""));
  const text = fc.oneof(anyText(), yamlish);
  await fc.assert(
    fc.asyncProperty(text, async (written) => {
      await writeFile(join(root, PLACE), written);
      try {
        await loadConfig({ cwd: root, env: {} });
      } catch (error) {
        if (!(error instanceof RalphError)) throw error;
        expect(["config", "data", "io"]).toContain(error.kind);
        expect(error.message).not.toMatch(/Invalid input|undefined|\[object/);
      }
    }),
    { numRuns: byLane(100, 500) },
  );
});

test("any bytes either load or are refused with a sentence", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
      await writeFile(join(root, PLACE), bytes);
      try {
        await loadConfig({ cwd: root, env: {} });
      } catch (error) {
        if (!(error instanceof RalphError)) throw error;
        expect(["config", "data", "io"]).toContain(error.kind);
      }
    }),
  );
});

const ANY_VALUES = ["-1", "0", "1.5", '""', "zz", "[]", '[""]', "[-1]", "{}", "{ a: 1 }", "true", "~"];

test("whatever a key is set to, the message is in our words and names the key", async () => {
  for (const { path } of configKeys()) {
    const names = path.map((name) => (name === "<name>" ? "x" : name));
    for (const value of byLane(["-1", "[]", "{}"], ANY_VALUES)) {
      const text = names.reduceRight(
        (inner, name) => (name.endsWith("[]") ? `{ ${name.slice(0, -2)}: [${inner}] }` : `{ ${name}: ${inner} }`),
        value,
      );
      await writeFile(join(root, PLACE), `${text}\n`);
      const message = await loadConfig({ cwd: root, env: {} }).then(
        () => "",
        (error: unknown) => (error as Error).message,
      );
      expect(message, text).not.toMatch(/Invalid|expected/);
      if (message !== "") expect(message, text).toContain(names[0]?.replace("[]", ""));
    }
  }
});
