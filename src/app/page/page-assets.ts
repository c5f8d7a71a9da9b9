import { dirname, join } from "node:path";
import { RalphError } from "../../domain/error.ts";
import { readAsset } from "../../system/http/read-asset.ts";

const NAMES = ["main.js", "page.css"] as const;

/** The page's script and style, which are built into the program's folder. `self`: how the program was started. */
export function pageAssets(self: readonly string[]): Readonly<Record<string, Uint8Array>> {
  const folder = join(dirname(self.at(-1) ?? ""), "page");
  return Object.fromEntries(
    NAMES.map((name) => {
      const bytes = readAsset(join(folder, name));
      if (bytes !== undefined) return [name, bytes];
      throw new RalphError("unavailable", `The page is not there: ${join(folder, name)}`, {
        hint: "Install ralphctl again",
      });
    }),
  );
}
