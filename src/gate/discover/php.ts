import { parseMapping } from "../../domain/mapping.ts";
import { NOTHING, type Source } from "../source.ts";
import { scriptGates } from "./scripts.ts";

/** Tools by the file with their settings, for a project without scripts of its own. */
const TOOLS: readonly (readonly [id: string, file: RegExp, run: string, needs?: string])[] = [
  [
    "php-cs-fixer",
    /^\.php-cs-fixer(?:\.dist)?\.php$/,
    "vendor/bin/php-cs-fixer fix --dry-run --diff",
    "friendsofphp/php-cs-fixer",
  ],
  ["phpstan", /^phpstan(?:\.dist)?\.neon(?:\.dist)?$/, "vendor/bin/phpstan analyse", "phpstan"],
  ["psalm", /^psalm(?:\.dist)?\.xml(?:\.dist)?$/, "vendor/bin/psalm", "psalm"],
  ["pest", /^phpunit(?:\.dist)?\.xml(?:\.dist)?$/, "vendor/bin/pest", '"pestphp/pest"'],
  ["phpunit", /^phpunit(?:\.dist)?\.xml(?:\.dist)?$/, "vendor/bin/phpunit"],
];

/** The scripts of `composer.json`, and the usual tools that no script runs. */
export const php: Source = async ({ look, names, reach }) => {
  const text = await look.text("composer.json");
  if (text === undefined) return NOTHING;
  const manifest = parseMapping(text);
  if (manifest === undefined) {
    return { gates: [], warnings: ["`composer.json` is not a JSON object, so its scripts are not gates"] };
  }
  const scripts = composerTasks(text);
  const behind = (name: string): string => scripts.get(name) ?? "";
  const own = scriptGates({
    file: "composer.json",
    scripts,
    run: (name) => `composer run-script ${name}`,
    idOf: (name) => `composer-${name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}`,
    definition: behind,
    reach,
  });
  const done = own.gates.map(({ script = "" }) => script).join("\n");
  const tools = TOOLS.flatMap(([id, file, run, needs]) => {
    const at = names.find((name) => file.test(name));
    const program = run.split(/[/ ]/)[2]!;
    const isThere =
      at !== undefined && (needs === undefined || text.includes(needs)) && !new RegExp(`\\b${program}\\b`).test(done);
    return isThere ? [{ id, run, script: undefined, at }] : [];
  });
  // pest runs the tests of phpunit, too.
  const chosen = tools.filter(
    ({ id }) =>
      id !== "phpunit" ||
      (!tools.some((tool) => tool.id === "pest") && !/\b(?:pest|phpunit|testbench|artisan test)\b/.test(done)),
  );
  return {
    gates: [
      ...chosen.filter(({ id }) => !/^p(?:est|hpunit)$/.test(id)),
      ...own.gates,
      ...chosen.filter(({ id }) => /^p(?:est|hpunit)$/.test(id)),
    ],
    leftOut: own.leftOut,
  };
};

/** Each script as one shell text. */
export function composerTasks(text: string): Map<string, string> {
  const scripts = composerScripts(parseMapping(text)?.["scripts"]);
  return new Map([...scripts.keys()].map((name) => [name, expanded(scripts, name, new Set()).join(" && ")]));
}

function composerScripts(value: unknown): Map<string, readonly string[]> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([name, lines]: [string, unknown]) => {
      const list = (Array.isArray(lines) ? lines : [lines]).filter((line): line is string => typeof line === "string");
      return list.length > 0 ? [[name, list] as const] : [];
    }),
  );
}

/** The commands of a script, with those of the scripts that it names with an `@`. */
function expanded(
  scripts: ReadonlyMap<string, readonly string[]>,
  name: string,
  seen: ReadonlySet<string>,
): readonly string[] {
  if (seen.has(name)) return [];
  const inside = new Set([...seen, name]);
  return (scripts.get(name) ?? []).flatMap((line) => {
    if (line.startsWith("@php ")) return [line.slice(1)];
    return line.startsWith("@") ? expanded(scripts, line.slice(1).split(" ")[0]!, inside) : [line];
  });
}
