import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { proposedSetup } from "./proposed-setup.ts";

interface Project {
  readonly files: readonly string[];
  readonly ignored: readonly string[];
  readonly hasFailed?: boolean;
}

async function proposal({ files, ignored, hasFailed = false }: Project): Promise<string | undefined> {
  const texts = { "package.json": "{}", Makefile: "CC := cc\ndeps: lib\n\ttrue\ninstall:\n\ttrue\n" };
  const root = temporaryFolder(
    Object.fromEntries(files.map((path) => [path, (texts as Record<string, string>)[path] ?? "x"])),
  );
  return await proposedSetup({ root, isIgnored: (path) => ignored.includes(path), hasFailed });
}

const NPM = "npm install --no-audit --no-fund";
const PIP = "python3 -m venv .venv && .venv/bin/pip install";

describe("T-02 the set-up that is proposed", () => {
  test.each<[string, Project, string | undefined]>([
    ["node_modules without a lock file", { files: ["package.json"], ignored: ["node_modules"] }, NPM],
    [
      "a lock file that is not committed",
      { files: ["package.json", "pnpm-lock.yaml"], ignored: ["node_modules", "pnpm-lock.yaml"] },
      "pnpm install",
    ],
    [
      "nothing where the lock file says it",
      { files: ["package.json", "package-lock.json"], ignored: ["node_modules"] },
      undefined,
    ],
    [
      "another way where the one of the lock file failed",
      { files: ["package.json", "package-lock.json"], ignored: ["node_modules"], hasFailed: true },
      NPM,
    ],
    ["nothing for a package that needs nothing", { files: ["package.json"], ignored: [] }, undefined],
    [
      "a venv with requirements",
      { files: ["requirements.txt", "requirements-dev.txt"], ignored: [".venv"] },
      `${PIP} -r requirements.txt -r requirements-dev.txt`,
    ],
    ["a venv with a package", { files: ["pyproject.toml"], ignored: [".venv"] }, `${PIP} -e .`],
    [
      "both, where one has a lock file",
      { files: ["package.json", "yarn.lock", "requirements.txt"], ignored: [".venv", "node_modules"] },
      `yarn install --frozen-lockfile --prefer-offline && ${PIP} -r requirements.txt`,
    ],
    ["the target of a Makefile", { files: ["Makefile"], ignored: ["lib"] }, "make deps"],
    ["the script of the project", { files: ["bin/setup"], ignored: ["lib"] }, "bin/setup"],
    ["nothing where nothing tells", { files: ["a.c"], ignored: ["lib"] }, undefined],
  ])("%s", async (_name, project, command) => {
    expect(await proposal(project)).toBe(command);
  });
});
