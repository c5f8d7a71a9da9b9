import type { Found, Look } from "./source.ts";

/** In the order in which GNU make looks for them. */
const FILES = ["GNUmakefile", "makefile", "Makefile"];
const TARGETS = ["check", "test"];

/** `make check`, or else `make test`. */
export async function makeGates(look: Look): Promise<Found> {
  for (const file of FILES) {
    const text = await look.text(file);
    if (text === undefined) continue;
    for (const target of TARGETS) {
      const script = rulesFor(text, target);
      if (script !== undefined) return { gates: [{ id: `make-${target}`, run: `CI=1 make ${target}`, script }] };
    }
    return { gates: [] };
  }
  return { gates: [] };
}

/** The rules that make a target, each with its recipe; undefined when there is none. */
function rulesFor(text: string, target: string): string | undefined {
  const rules: string[] = [];
  let isInside = false;
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    if (line.startsWith("\t")) {
      if (isInside) rules.push(line);
      continue;
    }
    if (line.trim() === "" || line.startsWith("#")) continue;
    const names = /^([^\s:=#][^:=#]*?)\s*::?(?![:=])/.exec(line)?.[1]?.split(/\s+/) ?? [];
    isInside = names.includes(target);
    if (isInside) rules.push(line);
  }
  return rules.length > 0 ? rules.join("\n") : undefined;
}
