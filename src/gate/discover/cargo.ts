import { isMapping } from "../../domain/mapping.ts";
import { parseToml } from "../../domain/toml.ts";
import { NOTHING, type Source } from "../source.ts";
import { ciCommand, isInCi } from "./ci-command.ts";

const FILE = "Cargo.toml";

/** In a workspace with a root package `cargo test` alone tests that package, and none of the others. */
export const cargo: Source = async (project) => {
  const text = await project.look.text(FILE);
  if (text === undefined) return NOTHING;
  const manifest = parseToml(text) ?? {};
  const isWorkspace = isMapping(manifest["workspace"]) || /^\[workspace\b/m.test(text);
  const all = isWorkspace ? " --workspace" : "";
  const features = isInCi(project, /^cargo (?:test|nextest run)\b.* --all-features(?: |$)/) ? " --all-features" : "";
  // Both are red in a project that does not use them, so CI has to.
  const hasFormat = project.names.some((name) => /^\.?rustfmt\.toml$/.test(name)) || isInCi(project, /^cargo fmt\b/);
  const clippy =
    ciCommand(project, /^cargo clippy\b/) ??
    (isInCi(project, /^cargo clippy\b/) ? `cargo clippy${all} --all-targets -- -D warnings` : undefined);
  const gate = (id: string, run: string, at = FILE) => ({ id, run, script: undefined, at });
  return {
    gates: [
      ...(hasFormat ? [gate("cargo-fmt", "cargo fmt --all --check")] : []),
      ...(clippy === undefined ? [] : [gate("cargo-clippy", clippy, "CI")]),
      gate("cargo-test", `cargo test${all}${features}`),
    ],
  };
};
