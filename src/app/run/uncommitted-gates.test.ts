import { join } from "node:path";
import { expect, test } from "vitest";
import { newRepository } from "../../../test/git-place.ts";
import { commitAll, write } from "../../../test/temporary-folder.ts";
import { uncommittedGates } from "./uncommitted-gates.ts";

const scripts = (of: Record<string, string>): string => JSON.stringify({ scripts: of });
const sentence = (names: string, files: string): string[] => [
  `Your uncommitted files have other gates: ${names}. Runs use the gates of the last commit. To use yours: git add ${files} && git commit`,
];

test("L-03 gates that only uncommitted files define are named, with the command that commits them", async () => {
  const home = await newRepository({ "a.txt": "", "sub/b.txt": "" });
  const of = async (folder = ""): Promise<readonly string[]> => await uncommittedGates(home, join(home.folder, folder));
  try {
    write(home.folder, { "package.json": scripts({ test: "node --test" }), "a.txt": "changed" });
    expect(await of()).toEqual(sentence("CI=1 npm run test", "package.json"));
    commitAll(home.folder, "Test");
    write(home.folder, { "a.txt": "again" });
    expect(await of()).toEqual([]);
    write(home.folder, { "package.json": scripts({ test: "node --test only.js" }) });
    expect(await of()).toEqual(sentence("CI=1 npm run test", "package.json"));
    write(home.folder, { "package.json": scripts({ lint: "eslint ." }) });
    expect(await of()).toEqual(sentence("CI=1 npm run lint, not CI=1 npm run test", "package.json"));
    write(home.folder, { "sub/package.json": scripts({ test: "node --test" }) });
    expect(await of("sub")).toEqual(sentence("CI=1 npm run test", ":/sub/package.json"));
  } finally {
    await home.shells?.close();
  }
});
