import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, write } from "../../test/temporary-folder.ts";
import { leadsOut } from "./leads-out.ts";

/** A place beside another one, and the person's tree. */
function places(files: (home: string, lane: string) => Record<string, string> = () => ({})) {
  const home = temporaryFolder({ "src/shop/__init__.py": "", ".venv/bin/python": "" });
  const lanes = temporaryFolder({ "1/src/a.py": "", "room/src/a.py": "" });
  const room = join(lanes, "room");
  write(room, files(home, join(lanes, "1")));
  return { home, lanes, room, lane: join(lanes, "1") };
}

const SITE = ".venv/lib/python3.11/site-packages";

describe("L-21 ways out of the room", () => {
  test("an editable install, a link and a program that lead into the person's tree", () => {
    const { home, lanes, room } = places((tree) => ({
      [`${SITE}/shop.pth`]: `${tree}/src\n`,
      [`${SITE}/__editable___shop_finder.py`]: `MAPPING = {'shop': '${tree}/src/shop'}\n`,
      [`${SITE}/plain.pth`]: "import os\n/usr/lib/python3\n",
      ".venv/bin/pytest": `#!${tree}/.venv/bin/python\nimport pytest\n`,
      ".venv/bin/ruff": "#!/usr/bin/env python3\n",
    }));
    mkdirSync(join(room, "node_modules/@shop"), { recursive: true });
    symlinkSync(join(home, "src/shop"), join(room, "node_modules/@shop/core"));
    symlinkSync("../../src", join(room, "node_modules/@shop/own"));
    expect(new Set(leadsOut(room, [".venv/", "node_modules/"], [home, lanes]))).toEqual(
      new Set([
        { path: "node_modules/@shop/core", how: "link", to: join(home, "src/shop") },
        { path: ".venv/bin/pytest", how: "program", to: join(home, ".venv/bin/python") },
        { path: `${SITE}/shop.pth`, how: "import path", to: join(home, "src") },
        { path: `${SITE}/__editable___shop_finder.py`, how: "import path", to: join(home, "src/shop") },
      ]),
    );
  });

  test("into another place, and a product that is itself a link", () => {
    const { home, lanes, room, lane } = places((_, other) => ({ "venv/bin/tool": `#!${other}/venv/bin/python\n` }));
    symlinkSync(join(home, "src"), join(room, "node_modules"));
    expect(leadsOut(room, ["node_modules", "venv/"], [home, lanes])).toEqual([
      { path: "node_modules", how: "link", to: join(home, "src") },
      { path: "venv/bin/tool", how: "program", to: `${lane}/venv/bin/python` },
    ]);
  });

  test("a link that leads nowhere is judged by the path that it names, wherever ralphctl runs", () => {
    const { home, room } = places(() => ({ "node_modules/.bin/x": "" }));
    symlinkSync("../packages/moved", join(room, "node_modules/ui"));
    symlinkSync(join(home, "src/not-yet"), join(room, "node_modules/core"));
    const ways = [{ path: "node_modules/core", how: "link", to: join(home, "src/not-yet") }];
    expect(leadsOut(room, ["node_modules"], [process.cwd(), home])).toEqual(ways);
  });

  test("not a folder whose name begins alike, and not what lies outside of products", () => {
    const { home, room } = places((tree) => ({
      "venv/bin/tool": `#!${tree}-2/bin/python\n`,
      "tools/bin/x": `#!${tree}/x\n`,
    }));
    expect(leadsOut(room, ["venv/"], [home])).toEqual([]);
  });

  test("at most ten, and packages are not looked into", () => {
    const many = Array.from({ length: 12 }, (_, index) => `node_modules/.bin/p${index}`);
    const { home, room } = places((tree) => ({
      ...Object.fromEntries(many.map((path) => [path, `#!${tree}/bin/node\n`])),
      "node_modules/inner/bin/deep": `#!${tree}/bin/node\n`,
    }));
    const found = leadsOut(room, ["node_modules/"], [home]);
    expect(found).toHaveLength(10);
    expect(found.every(({ path }) => path.startsWith("node_modules/.bin/"))).toBe(true);
  });
});
