import type { Config } from "../../config/config.ts";
import type { Environment } from "../../domain/environment.ts";
import { RalphError } from "../../domain/error.ts";
import type { SandboxChoice, SandboxKind } from "../../domain/sandbox/sandbox.ts";
import type { WhyNot } from "../../domain/sandbox/why-not.ts";
import { probeNamespace, probeSandbox } from "../../system/sandbox/probe.ts";
import { thisUser } from "../../system/sandbox/this-user.ts";

export type SandboxSettings = Pick<Config, "sandbox" | "processes">;

/** What stands around programs, by name; undefined: nothing. */
export interface ChosenSandboxes {
  readonly agent: SandboxKind | undefined;
  readonly gates: SandboxKind | undefined;
  /** Whether programs without a sandbox get a process namespace, and who they are in it. */
  readonly namespace: { readonly user: ReturnType<typeof thisUser> } | undefined;
  /** Sentences for the person. */
  readonly lines: readonly string[];
}

/** B-07: what the configuration asks for, tried once. Refuses a run that cannot have it: never without (78). */
export async function chooseSandboxes(settings: SandboxSettings, env: Environment): Promise<ChosenSandboxes> {
  const { sandbox } = settings;
  const agent = await chooseSandbox(sandbox.agent, "sandbox.agent", { settings, env });
  const isSame = sandbox.gates === "same" || sandbox.gates === sandbox.agent;
  const gates = isSame ? agent : await chooseSandbox(sandbox.gates, "sandbox.gates", { settings, env });
  return { agent, gates, namespace: await chooseNamespace(settings, env), lines: linesOf(agent, gates) };
}

/** Starts what `chooseSandboxes` tries, which then finds the answers: meanwhile, a run looks at other things. */
export const beginProbes = (settings: SandboxSettings, env: Environment): void =>
  void chooseSandboxes(settings, env).catch(() => undefined);

/** The programs whose containers outlive their clients. */
export const enginesOf = ({ agent, gates }: ChosenSandboxes): string[] =>
  [...new Set([agent, gates])].filter((kind) => kind === "docker" || kind === "podman");

function linesOf(agent: SandboxKind | undefined, gates: SandboxKind | undefined): string[] {
  if (agent === undefined && gates === undefined) return [];
  const around =
    agent === gates ? `${agent} around agents and gates` : `${says(agent)} around agents, ${says(gates)} around gates`;
  return [
    `Sandbox: ${around}; it hides usual secrets, and all but the lane, caches and the agent's own folder is read-only`,
  ];
}

const says = (kind: SandboxKind | undefined): string => kind ?? "none";

interface Asked {
  readonly settings: SandboxSettings;
  readonly env: Environment;
}

async function chooseSandbox(
  choice: SandboxChoice,
  key: string,
  { settings, env }: Asked,
): Promise<SandboxKind | undefined> {
  if (choice === "off") return undefined;
  const { image } = settings.sandbox;
  const kinds = choice === "auto" ? candidates(image) : [choice];
  let refused: WhyNot | undefined;
  for (const kind of kinds) {
    const why = withoutImage(kind, image) ?? (await probeSandbox(kind, env, image));
    if (why === undefined) return kind;
    refused ??= why;
  }
  throw new RalphError("config", `${key} is ${choice}, but there is no sandbox here: ${refused?.why}`, {
    hint: `${refused?.fix}; ralphctl doctor shows what works here`,
  });
}

/** What `auto` tries, in this order. A container needs an image, which only a person can choose. */
export const candidates = (image: string | null): SandboxKind[] => [
  process.platform === "darwin" ? "seatbelt" : "bwrap",
  ...(image === null ? [] : (["podman", "docker"] as const)),
];

const withoutImage = (kind: SandboxKind, image: string | null): WhyNot | undefined =>
  (kind === "docker" || kind === "podman") && image === null
    ? { why: `${kind} needs an image`, fix: "Set sandbox.image to one that has the agent in it" }
    : undefined;

async function chooseNamespace(
  { processes }: SandboxSettings,
  env: Environment,
): Promise<ChosenSandboxes["namespace"]> {
  if (processes.namespace === "off") return undefined;
  const user = thisUser();
  const isOn = processes.namespace === "on";
  // In a user namespace of its own `sudo` does not work, and `ssh` refuses its settings.
  if (user !== undefined && !isOn) return undefined;
  const refused = await probeNamespace(user, env);
  if (refused === undefined) return { user };
  if (!isOn) return undefined;
  throw new RalphError("config", `processes.namespace is on, but there is none here: ${refused.why}`, {
    hint: refused.fix,
  });
}
