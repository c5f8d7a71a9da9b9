import { plainPartsOf } from "../resolve/plain-parts.ts";
import { NOTHING, type Source } from "../source.ts";
import { ciCommand } from "./ci-command.ts";

/** All packages of the module, or of each module of `go.work`. */
export const go: Source = async (project) => {
  const { look } = project;
  const work = await look.text("go.work");
  const modules = work === undefined ? [] : usedModules(work);
  const file = modules.length > 0 ? "go.work" : "go.mod";
  if (modules.length === 0 && !(await look.has("go.mod"))) return NOTHING;
  const packages = modules.length === 0 ? "./..." : modules.map((folder) => `${folder}/...`).join(" ");
  const vet = ciCommand(project, /^go vet\b/);
  // A linter of its own, which is not installed with Go.
  const lint = ciCommand(project, /^golangci-lint run\b/);
  const gate = (id: string, run: string, at = file) => ({ id, run, script: undefined, at });
  return {
    gates: [
      ...(vet === undefined ? [] : [gate("go-vet", vet, "CI")]),
      ...(lint === undefined ? [] : [gate("golangci-lint", lint, "CI")]),
      gate("go-test", `go test ${packages}`),
    ],
  };
};

/** `use ./a` and `use ( ./a ./b )`. */
export function usedModules(text: string): string[] {
  const used = plainPartsOf("go.mod", text)?.["use"];
  const folders = Array.isArray(used)
    ? used.map((folder) => String(folder).replaceAll('"', "").replace(/\/$/, ""))
    : [];
  return folders.map((folder) => (folder === "." || folder.startsWith("./") ? folder : `./${folder}`));
}
