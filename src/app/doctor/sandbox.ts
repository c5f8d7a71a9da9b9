import type { Config } from "../../config/config.ts";
import type { Environment } from "../../domain/environment.ts";
import type { SandboxKind } from "../../domain/sandbox/sandbox.ts";
import { programsOn } from "../../system/process/programs.ts";
import { probeNamespace, probeSandbox } from "../../system/sandbox/probe.ts";
import { thisUser } from "../../system/sandbox/this-user.ts";
import { candidates, chooseSandboxes } from "../sandbox/choose-sandbox.ts";
import { type Finding, ok, refused, warning } from "./finding.ts";

/** B-07: which sandboxes work on this machine, and why others do not. What the configuration asks for must work. */
export async function sandboxFindings(
  config: Pick<Config, "sandbox" | "processes">,
  env: Environment,
): Promise<Finding[]> {
  const asked = await chooseSandboxes(config, env).catch((error: unknown) => refused("sandbox", error));
  const engines = await programsOn(env["PATH"] ?? "", ["podman", "docker"]);
  const kinds = [...new Set([...candidates(null), ...(engines as SandboxKind[])])];
  const findings: Finding[] = [];
  for (const kind of kinds) {
    const why = await probeSandbox(kind, env, config.sandbox.image);
    if (why === undefined) findings.push(ok("sandbox", `The sandbox ${kind} works here${needs(kind, config)}`));
    else findings.push(warning("sandbox", `The sandbox ${kind} does not work here: ${why.why}`, why.fix));
  }
  return [...("level" in asked ? [asked] : []), ...findings, await namespace(env)];
}

const needs = (kind: SandboxKind, { sandbox }: Pick<Config, "sandbox">): string =>
  (kind === "docker" || kind === "podman") && sandbox.image === null ? ", once sandbox.image names an image" : "";

async function namespace(env: Environment): Promise<Finding> {
  const user = thisUser();
  const why = await probeNamespace(user, env);
  if (why !== undefined) {
    return warning("sandbox", `Sessions have no process namespace without a sandbox: ${why.why}`, why.fix);
  }
  return user === undefined
    ? ok("sandbox", "Sessions and gates can have a process namespace, which leaves no process")
    : ok("sandbox", "Sessions and gates can have a process namespace, if processes.namespace is on");
}
