import { describe, expect, test } from "vitest";
import { type } from "../../../test/recording-io.ts";
import { RESERVED_VARIABLES } from "../../config/config.ts";
import { configKeys } from "../../config/keys.ts";
import { commands } from "../commands/index.ts";
import { TOPIC_NAMES } from "./index.ts";
import { TOPIC_TEXTS } from "./texts.ts";

const help = async (...words: readonly string[]) => await type(["help", ...words], { cwd: "/" });

const FLAGS = new Set(
  commands.flatMap(({ options = [] }) => options.flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? [])),
);
const KEYS = new Set(configKeys().map(({ path }) => path.join(".")));
const VARIABLES = configKeys().flatMap(({ variable }) => variable ?? []);

/** The words after each `ralphctl` in a text, as far as a command could go. */
const named = (text: string): string[] =>
  Array.from(text.matchAll(/ralphctl ((?:[a-z-]+ ?){1,3})/g), ([, words]) => words!.trim());

const isCommand = (words: string): boolean =>
  words.startsWith("help") || commands.some(({ name }) => `${words} `.startsWith(`${name.split(" ")[0]} `));

describe("ralphctl help TOPIC", () => {
  test("lists the topics, and prints one for each", async () => {
    const { code, stdout } = await help("topics");
    expect(code).toBe(0);
    expect(Array.from(stdout.matchAll(/^ {2}(\S+) /gm), ([, name]) => name)).toEqual(TOPIC_NAMES);
    for (const name of TOPIC_NAMES) {
      expect(await help(name)).toEqual({ code: 0, stdout: TOPIC_TEXTS[name], stderr: "" });
    }
  });

  test("is there inside a session, too", async () => {
    expect((await type(["help", "sessions"], { cwd: "/", env: { RALPHCTL_ATTEMPT: "r.1.1" } })).code).toBe(0);
  });

  describe.each(Object.entries(TOPIC_TEXTS))("%s", (_name, text) => {
    const lines = text.split("\n");

    test("is short, and fits 80 columns", () => {
      expect(lines.filter((line) => line.length > 80 || line !== line.trimEnd())).toEqual([]);
      expect([text.endsWith("\n") && !text.endsWith("\n\n"), lines.length > 15, lines.length <= 41]).toEqual([
        true,
        true,
        true,
      ]);
    });

    test("names only commands, flags, keys and variables that exist", () => {
      expect(named(text).filter((words) => !isCommand(words))).toEqual([]);
      expect((text.match(/--[a-z][\w-]+/g) ?? []).filter((flag) => !FLAGS.has(flag) && flag !== "--batch")).toEqual([]);
      const keys = text.match(/\b(?:limits|verify|specs|models|sprint|git|processes)\.[a-z]\w+/g) ?? [];
      expect(keys.filter((key) => !KEYS.has(key))).toEqual([]);
      const variables = (text.match(/RALPHCTL_[A-Z_]*[A-Z]/g) ?? []).filter((name) => !name.includes("CLAUDE"));
      expect(variables.filter((name) => ![...RESERVED_VARIABLES, ...VARIABLES].includes(name))).toEqual([]);
    });
  });
});
