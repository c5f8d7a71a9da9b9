import { describe, expect, test } from "vitest";
import { keptGates } from "../../src/domain/gate.ts";
import { discoverIn } from "../../src/gate/gate.ts";
import { filesLook } from "../files-look.ts";
import { compiled } from "./compiled.ts";
import { node } from "./node.ts";
import { python } from "./python.ts";
import type { Expected, Repository } from "./repository.ts";
import { scripted } from "./scripted.ts";
import { workspaces } from "./workspaces.ts";

const CORPUS: readonly Repository[] = [...node, ...workspaces, ...compiled, ...python, ...scripted];

async function found(files: Repository["files"]): Promise<Expected> {
  const { gates, setup, leftOut, uncovered, services, programs } = await discoverIn(filesLook(files));
  return {
    gates: keptGates(gates).map(({ run }) => run),
    ...(setup !== undefined && { setup: setup.command }),
    leftOut: leftOut.map(({ what, why }) => `${what}: ${why}`),
    uncovered: uncovered.map(({ run }) => run),
    services,
    programs,
  };
}

describe("P-16 gates: auto finds what the maintainers run", () => {
  test("the corpus is large, and each repository is there once", () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(CORPUS.map(({ name }) => name)).size).toBe(CORPUS.length);
  });

  test.each(CORPUS.map((one) => [one.name, one] as const))("%s", async (_name, { files, expected }) => {
    expect(await found(files)).toEqual({ leftOut: [], uncovered: [], services: [], ...expected });
  });
});
