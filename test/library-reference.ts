import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Every export of the package with its declaration and what is said of it: a change of the library is seen here. */
export function libraryDeclarations(): readonly { readonly name: string; readonly text: string }[] {
  const index = readFileSync("src/index.ts", "utf8");
  const own = Array.from(index.matchAll(/^export (?:async )?function (\w+)/gm), ([, name = ""]) => ({
    name,
    text: declarationOf(name, index),
  }));
  const others = Array.from(
    index.matchAll(/^export (?:type )?\{([^}]+)\} from "([^"]+)"/gm),
    ([, names = "", from = ""]) => {
      const source = readFileSync(join("src", from), "utf8");
      return namesIn(names).map((name) => ({ name, text: declarationOf(name, source, from) }));
    },
  ).flat();
  return [...own, ...others].sort((left, right) => left.name.localeCompare(right.name, "en"));
}

const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.replace(/\btype\b/, "").trim())
    .filter((name) => name !== "");

/** The comment above, and all up to the body. */
function declarationOf(name: string, source: string, from = "index.ts"): string {
  const lines = source.split("\n");
  const start = lines.findIndex((line) =>
    new RegExp(`^export (?:async )?(?:abstract )?(?:function|interface|type|const|class) ${name}\\b`).test(line),
  );
  if (start === -1) {
    const further = new RegExp(`^export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from "([^"]+)"`, "m").exec(source)?.[1];
    if (further === undefined) throw new Error(`${from} does not declare ${name}`);
    const path = join("src", from, "..", further);
    return declarationOf(name, readFileSync(path, "utf8"), path.replace(/^src\//, ""));
  }
  let first = start;
  if (lines[start - 1]?.endsWith("*/")) {
    first = lines.slice(0, start).findLastIndex((line) => line.startsWith("/**"));
  }
  return [...lines.slice(first, start), ...head(lines.slice(start))].join("\n");
}

/** Interfaces and types are whole; of a function, a constant or a class there is only what others see. */
function head(lines: readonly string[]): string[] {
  const [line = ""] = lines;
  if (/^export (?:interface|class) /.test(line)) {
    return line.endsWith("}") ? [line] : lines.slice(0, lines.indexOf("}") + 1);
  }
  // Between declarations there is always a blank line, and never within a type.
  if (line.startsWith("export type")) return lines.slice(0, lines.indexOf(""));
  const end = lines.findIndex((each) => /(?:\{|=>)$/.test(each) || /=> .*;$/.test(each) || each.endsWith(";"));
  return lines.slice(0, end + 1).map((each, index) => (index === end ? each.replace(/ (?:\{|=>.*)$/, ";") : each));
}
