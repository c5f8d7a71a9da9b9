import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { folderSpellings } from "./folder-spellings.ts";

test("L-06 the person's tree has every path that the environment may name it by", () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "var/home/me/shop/sub"), { recursive: true });
  symlinkSync(join(root, "var/home"), join(root, "home"));
  symlinkSync(join(root, "var/home/me/shop"), join(root, "link"));
  const shop = join(root, "var/home/me/shop");
  expect(folderSpellings(shop, {})).toEqual([shop]);
  expect(folderSpellings(shop, { HOME: join(root, "home/me"), PWD: join(root, "link/sub") })).toEqual([
    shop,
    join(root, "home/me/shop"),
    join(root, "link"),
  ]);
  expect(folderSpellings(join(root, "link"), { HOME: "/nowhere", PWD: root })).toEqual([join(root, "link"), shop]);
});
