import { expect, test } from "vitest";
import { type Files, filesLook } from "../../test/files-look.ts";
import { changedStarts } from "./gate.ts";

const BASE = {
  "tell.sh": '. ./tools/words.sh\nfor f in told/*.sh; do sh "$f"; done\n',
  "tools/words.sh": "say() { :; }\n",
  "tools/other.sh": "true\n",
  "told/a.sh": "true\n",
  "tsconfig.json": "{}",
  "package.json": JSON.stringify({ scripts: { tell: "sh tell.sh", test: "vitest" } }),
  "src/cli.js": "1\n",
};

const changed = async (command: string, files: Files): Promise<string[]> =>
  await changedStarts([command], { base: filesLook(BASE), candidate: filesLook({ ...BASE, ...files }), folder: "" });

test("P-17 a changed file that a command starts is found: by other scripts, by key, by a pattern, and if it is new", async () => {
  expect(await changed("sh tell.sh", { "tell.sh": "true\n", "tools/words.sh": "x\n" })).toEqual([
    "tell.sh",
    "tools/words.sh",
  ]);
  expect(await changed("sh tell.sh", { "told/b.sh": "true\n" })).toEqual(["told/b.sh"]);
  expect(await changed("sh later.sh", { "later.sh": "true\n" })).toEqual(["later.sh"]);
  const scripts = { tell: "sh other.sh", test: "vitest" };
  expect(await changed("npm run tell", { "package.json": JSON.stringify({ scripts }) })).toEqual(["package.json"]);
  expect(await changed("PATH=./tools:$PATH tell", { "tools/tell": "#!/bin/sh\n" })).toEqual(["tools/tell"]);
});

test("P-17 work beside the files that a command starts is free: scripts of others, configuration, comments, the product", async () => {
  const scripts = { tell: "sh tell.sh", test: "jest" };
  const work = {
    "tools/other.sh": "x\n",
    "tools/words.sh": "# words\nsay() { :; }\n",
    "tsconfig.json": '{"strict":true}',
    "src/cli.js": "2\n",
    "package.json": JSON.stringify({ scripts, jest: { verbose: true } }),
  };
  for (const command of ["sh tell.sh", "npm run tell", "npx tsx src/cli.js", "git push"])
    expect(await changed(command, work)).toEqual([]);
});
