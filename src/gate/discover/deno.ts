import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { parseJson } from "../../domain/json-text.ts";
import { type Look, NOTHING, type Source } from "../source.ts";
import { scriptGates } from "./scripts.ts";

/** What every installation of Deno can check. Formatting only where CI asks for it. */
const BUILT_IN = [
  ["deno-lint", "deno lint", /\bdeno lint\b/],
  ["deno-fmt", "deno fmt --check", /\bdeno fmt\b/],
  ["deno-test", "deno test", /\bdeno test\b/],
] as const;

/** The tasks of `deno.json`, and Deno's own checks that no task runs and CI does. */
export const deno: Source = async ({ look, names, ci, reach }) => {
  const file = ["deno.json", "deno.jsonc"].find((name) => names.includes(name));
  if (file === undefined) return NOTHING;
  const manifest = parseJson((await look.text(file)) ?? "");
  if (manifest === undefined)
    return { gates: [], warnings: [`\`${file}\` is not a JSON object, so its tasks are not gates`] };
  const texts = denoTasks(manifest);
  const own = scriptGates({
    file,
    scripts: texts,
    run: (name) => `deno task ${name}`,
    idOf: (name) => `deno-${name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}`,
    definition: (name) => texts.get(name) ?? "",
    reach,
  });
  const done = own.gates.map(({ script = "" }) => script).join("\n");
  const inCi = ci.flatMap(({ steps }) => steps.map(({ text }) => text)).join("\n");
  const isPackage = names.includes("package.json");
  const more = BUILT_IN.filter(([id, , call]) => !call.test(done) && !own.gates.some((gate) => gate.id === id))
    .filter(([id, , call]) => call.test(inCi) || (id === "deno-test" && !isPackage && own.gates.length === 0))
    .map(([id, run]) => ({ id, run, script: undefined, at: file }));
  const tests = (gate: { readonly id: string }): boolean => /test/.test(gate.id);
  return {
    gates: [...[...own.gates, ...more].filter((gate) => !tests(gate)), ...[...own.gates, ...more].filter(tests)],
    leftOut: own.leftOut,
  };
};

/** Each task as a shell text. */
const denoTasks = ({ tasks }: Mapping): Map<string, string> =>
  new Map(
    Object.entries(isMapping(tasks) ? tasks : {}).flatMap(([name, task]) => {
      const text = isMapping(task) ? task["command"] : task;
      return typeof text === "string" ? [[name, text] as const] : [];
    }),
  );

export async function denoTasksIn(look: Look): Promise<Map<string, string>> {
  const text = (await look.text("deno.json")) ?? (await look.text("deno.jsonc"));
  return denoTasks((text === undefined ? undefined : parseJson(text)) ?? {});
}
