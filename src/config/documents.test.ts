import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configJsonSchema, configReference, defaultConfigText, loadConfig, type Config } from "./config.ts";
import { configKeys } from "./keys.ts";

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ralphctl-documents-"));
  await mkdir(join(root, ".ralph"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function load(text: string): Promise<Config> {
  await writeFile(join(root, ".ralph/config.yaml"), text);
  return (await loadConfig({ cwd: root, env: {} })).config;
}

describe("the file that init writes", () => {
  const text = defaultConfigText({ harness: "codex" });
  const isCommentedKey = (line: string): boolean => /^ +# \w+:/.test(line);
  const commented = text.split("\n").filter(isCommentedKey);
  const uncomment = (line: string): string => line.replace("# ", "");

  test("begins with the line that gives editors the schema", () => {
    expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=./config.schema.json");
  });

  test("sets the harness and leaves everything else at its default", async () => {
    expect(await load(text)).toEqual({ ...(await load("")), harness: ["codex"] });
  });

  test("has the keys that people change first", () => {
    expect(commented.map((line) => line.replace(/^ +# (\w+):.*/, "$1"))).toEqual([
      "model",
      "dirs",
      "iterations",
      "time",
      "cost",
      "attempts",
      "inactivity",
      "protect",
      "commit",
      "branch",
    ]);
  });

  test.each(commented)("is valid, and means the same, with `%s` switched on", async (line) => {
    const changed = text.replace(line, uncomment(line));
    expect(changed).not.toBe(text);
    const config = await load(changed);
    // An entry under `harnesses` makes the harness appear; nothing else may change.
    expect({ ...config, harnesses: {} }).toEqual({ ...(await load(text)), harnesses: {} });
  });

  test("is valid with every commented key switched on", async () => {
    const all = text.split("\n").map((line) => (isCommentedKey(line) ? uncomment(line) : line));
    expect((await load(all.join("\n"))).harnesses["codex"]?.model).toBe(null);
  });
});

describe("the JSON Schema", () => {
  interface Node {
    readonly type?: string | readonly string[];
    readonly properties?: Readonly<Record<string, Node>>;
    readonly additionalProperties?: Node | boolean;
    readonly items?: Node;
    readonly anyOf?: readonly Node[];
    readonly description?: string;
    readonly default?: unknown;
    readonly required?: readonly string[];
  }

  const step = (node: Node, name: string): Node | undefined => {
    if (name === "<name>") return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
    const property = node.properties?.[name.replace("[]", "")];
    if (!name.endsWith("[]")) return property;
    return property?.items ?? property?.anyOf?.find((branch) => branch.items !== undefined)?.items;
  };

  const nodesOf = (node: Node): Node[] => [
    node,
    ...[
      ...Object.values(node.properties ?? {}),
      ...(node.anyOf ?? []),
      ...(node.items ? [node.items] : []),
      ...(typeof node.additionalProperties === "object" ? [node.additionalProperties] : []),
    ].flatMap(nodesOf),
  ];

  test("has every key with its description and its default", async () => {
    const schema: Node = await configJsonSchema();
    const found = configKeys().map(({ path }) => {
      const node = path.reduce<Node | undefined>((around, name) => around && step(around, name), schema);
      return [path.join("."), node?.description, node?.default];
    });
    expect(found).toEqual(configKeys().map(({ path, doc, fallback }) => [path.join("."), doc, fallback]));
  });

  test("is of the 2020-12 draft, and no object takes keys that are not listed", async () => {
    const schema: Node & { $schema?: string } = await configJsonSchema();
    const open = nodesOf(schema).filter((node) => node.properties !== undefined && node.additionalProperties !== false);
    expect([schema.$schema, open]).toEqual(["https://json-schema.org/draft/2020-12/schema", []]);
  });

  test("allows a group without content, and demands what a gate needs", async () => {
    const schema: Node = await configJsonSchema();
    expect(step(schema, "limits")?.type).toEqual(["object", "null"]);
    expect(step(schema, "gates[]")?.required).toEqual(["id", "run"]);
    expect(schema.type).toBe("object");
  });
});

describe("the reference", () => {
  test("has a row for every key, with variable, default and meaning", async () => {
    const rows = (await configReference()).trimEnd().split("\n");
    expect(rows).toHaveLength(configKeys().length + 2);
    expect(rows).toContain("| `limits.cost` | number | not set | `RALPHCTL_LIMITS_COST` | US dollars for one run. |");
    expect(rows).toContain("| `gates[].run` | command | required |  | Shell command; passes if it exits with 0. |");
    expect(rows).toContain(
      '| `specs.dirs` | list of paths | `[".ralph/specs"]` | `RALPHCTL_SPECS_DIRS` | Folders with specs; the agent reads them and must not change them. |',
    );
  });

  test("every row has five cells, whatever its text", async () => {
    const rows = (await configReference()).trimEnd().split("\n");
    expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 7)).toEqual([]);
  });
});
