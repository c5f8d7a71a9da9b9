import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { setupCommand } from "./setup-command.ts";

const NPM = "npm ci --prefer-offline --no-audit --no-fund";
const YARN = "yarn install --frozen-lockfile --prefer-offline";
const yarn = (version: string): string => `{ "packageManager": "yarn@${version}" }`;

describe("L-04 the command that prepares a lane", () => {
  test.each<[string, Record<string, string>, string, string[]]>([
    ["npm", { "package-lock.json": "{}" }, NPM, ["package-lock.json"]],
    ["npm", { "npm-shrinkwrap.json": "{}" }, NPM, ["npm-shrinkwrap.json"]],
    ["pnpm", { "pnpm-lock.yaml": "" }, "pnpm install --frozen-lockfile --prefer-offline", ["pnpm-lock.yaml"]],
    ["yarn 1", { "yarn.lock": "", "package.json": yarn("1.22.22") }, YARN, ["yarn.lock", "package.json"]],
    ["yarn 1 by default", { "yarn.lock": "" }, YARN, ["yarn.lock"]],
    [
      "yarn 4",
      { "yarn.lock": "", "package.json": yarn("4.1.0") },
      "yarn install --immutable",
      ["yarn.lock", "package.json"],
    ],
    [
      "yarn 4 by its settings",
      { "yarn.lock": "", ".yarnrc.yml": "" },
      "yarn install --immutable",
      ["yarn.lock", ".yarnrc.yml"],
    ],
    [
      "yarn 1 with packages of its own",
      { "yarn.lock": "", "package.json": '{"workspaces":["p/*"]}', "p/b/package.json": "{}", "p/a/package.json": "{}" },
      YARN,
      ["yarn.lock", "package.json", "p/a/package.json", "p/b/package.json"],
    ],
    [
      "npm with scripts of an installation",
      {
        "package-lock.json": "{}",
        "package.json": '{"scripts":{"postinstall":"sh tools/patch.sh"}}',
        "tools/patch.sh": ". tools/lib.sh",
        "tools/lib.sh": "",
      },
      NPM,
      ["package-lock.json", "package.json", "tools/lib.sh", "tools/patch.sh"],
    ],
    ["bun", { "bun.lock": "" }, "bun install --frozen-lockfile", ["bun.lock"]],
    ["bun", { "bun.lockb": "" }, "bun install --frozen-lockfile", ["bun.lockb"]],
    ["uv", { "uv.lock": "", "pyproject.toml": "" }, "uv sync --locked", ["uv.lock", "pyproject.toml"]],
    [
      "both languages",
      { "package-lock.json": "{}", "uv.lock": "" },
      `${NPM} && uv sync --locked`,
      ["package-lock.json", "uv.lock"],
    ],
    [
      "the manager that package.json names",
      { "package-lock.json": "{}", "yarn.lock": "", "package.json": yarn("1.22.22") },
      YARN,
      ["yarn.lock", "package.json"],
    ],
  ])("%s, by lock file", async (_name, present, command, files) => {
    expect(await setupCommand(temporaryFolder(present), null)).toEqual({ command, files });
  });

  test("there is none without a lock file, and none if the setting says so", async () => {
    expect(await setupCommand(temporaryFolder({ "package.json": "{}" }), null)).toBeUndefined();
    expect(await setupCommand(temporaryFolder({ "package-lock.json": "{}" }), " none ")).toBeUndefined();
  });

  test("is the user's, decided by the scripts that it names, lock files, manifests and settings", async () => {
    const root = temporaryFolder({ "tools/setup.sh": "", "go.sum": "", "package.json": "{}", ".npmrc": "" });
    const command = "sh ./tools/setup.sh --fast && ../outside.sh";
    const files = ["tools/setup.sh", "go.sum", "package.json", ".npmrc"];
    expect(await setupCommand(root, command)).toEqual({ command, files });
  });

  test.each(["Makefile", "justfile"])("L-21 is decided by the recipes in a %s", async (name) => {
    const root = temporaryFolder({ [name]: "", "pyproject.toml": "", "a.py": "" });
    expect((await setupCommand(root, "make deps"))?.files).toEqual(expect.arrayContaining([name, "pyproject.toml"]));
  });
});
