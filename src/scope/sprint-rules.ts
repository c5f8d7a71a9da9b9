import { parseDuration } from "../domain/duration.ts";
import { closestMatch } from "../domain/closest-match.ts";
import { isMapping, type Mapping, type YamlFile } from "./yaml-file.ts";
import { faultAt, type SprintFault } from "./sprint-faults.ts";
import type { KeyPath } from "../system/yaml-text.ts";

type Says = Pick<SprintFault, "rule" | "hint">;
type Check = (value: unknown) => Says | undefined;

const text: Check = (value) =>
  (typeof value === "string" && value.trim() !== "") || typeof value === "number"
    ? undefined
    : { rule: "must be text that is not empty", hint: "Write the text behind the colon" };

const count: Check = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1
    ? undefined
    : { rule: "must be a whole number of at least 1", hint: "Write a number such as 3" };

const mode: Check = (value) =>
  value === "ralph"
    ? undefined
    : { rule: "must be `ralph`, or be left out for phases", hint: "Write `mode: ralph`, or remove the line" };

const switchValue: Check = (value) =>
  typeof value === "boolean" ? undefined : { rule: "must be true or false", hint: "Write true or false" };

const anything: Check = () => undefined;

const COMMON: Readonly<Record<string, Check>> = {
  name: text,
  description: text,
  mode,
  "goal-prompt": text,
  "reflection-prompt": text,
  "idle-threshold": count,
  "min-iterations": count,
  "max-iterations": count,
  "per-iteration-hooks": anything,
};

/** Keys of a workflow. What a hook may say is decided where hooks are read. */
const WORKFLOW: Readonly<Record<string, Check>> = { ...COMMON, phases: anything };

const SPRINT: Readonly<Record<string, Check>> = {
  ...COMMON,
  "sprint-id": text,
  title: text,
  workflow: text,
  goal: text,
  created: anything,
};

const PHASE: Readonly<Record<string, Check>> = {
  id: text,
  prompt: text,
  name: text,
  description: text,
  gate: anything,
};

const GATE: Readonly<Record<string, Check>> = {
  run: text,
  timeout: (value) =>
    (typeof value === "string" || typeof value === "number") && parseDuration(value) !== undefined
      ? undefined
      : { rule: "must be a duration", hint: "Write it like 30s, 5m or 1m30s" },
};

/** What is wrong in SPRINT.yaml. */
export const sprintFaults = (file: YamlFile): SprintFault[] => keyFaults(file, file.data, { path: [], checks: SPRINT });

/** What is wrong in a workflow, its phases included. */
export const workflowFaults = (file: YamlFile): SprintFault[] => [
  ...keyFaults(file, file.data, { path: [], checks: WORKFLOW }),
  ...phasesFaults(file),
  ...hooksFaults(file),
];

interface Keys {
  readonly path: KeyPath;
  readonly checks: Readonly<Record<string, Check>>;
}

/** A key that is not known is a warning: files are written for other tools, too. */
function keyFaults(file: YamlFile, data: Mapping, { path, checks }: Keys): SprintFault[] {
  return Object.entries(data).flatMap(([key, value]): SprintFault[] => {
    const here = [...path, key];
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined) {
      const meant = closestMatch(key, Object.keys(checks));
      const hint = meant === undefined ? `Known are: ${Object.keys(checks).join(", ")}` : `Did you mean ${meant}?`;
      return [faultAt(file, { path: here, part: "key", level: "warning" }, { rule: "is not known here", hint })];
    }
    const says = check(value);
    return says === undefined ? [] : [faultAt(file, { path: here }, says)];
  });
}

function phasesFaults(file: YamlFile): SprintFault[] {
  const { phases } = file.data;
  if (phases === undefined) return [];
  if (!Array.isArray(phases) || phases.length === 0) return [faultAt(file, { path: ["phases"] }, PHASES_SAY)];
  const ids = phases.map((phase: unknown) => (isMapping(phase) ? phase["id"] : undefined));
  return phases.flatMap((phase: unknown, index) =>
    isMapping(phase)
      ? phaseFaults(file, phase, { ids, index })
      : [faultAt(file, { path: ["phases", index] }, PHASES_SAY)],
  );
}

const PHASES_SAY = { rule: "must be a list of phases", hint: "Write `- id: prepare` and `prompt: …` for each" };

interface Listed {
  readonly ids: readonly unknown[];
  readonly index: number;
}

function phaseFaults(file: YamlFile, phase: Mapping, { ids, index }: Listed): SprintFault[] {
  const path = ["phases", index];
  const missing = ["id", "prompt"].filter((key) => phase[key] === undefined);
  return [
    ...missing.map((key) => faultAt(file, { path }, { rule: `needs a key \`${key}\``, hint: `Add \`${key}: …\`` })),
    ...idFaults(file, ids, index),
    ...keyFaults(file, phase, { path, checks: PHASE }),
    ...gateFaults(file, phase["gate"], [...path, "gate"]),
  ];
}

function idFaults(file: YamlFile, ids: readonly unknown[], index: number): SprintFault[] {
  const id = ids[index];
  const path = ["phases", index, "id"];
  if (typeof id !== "string" && typeof id !== "number") return [];
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(String(id))) {
    const rule = "must be made of letters, digits, `.`, `_` and `-`, at most 64 of them";
    return [faultAt(file, { path }, { rule, hint: "Write an id such as `prepare`" })];
  }
  if (ids.indexOf(id) === index) return [];
  return [faultAt(file, { path }, { rule: `is there twice: \`${String(id)}\``, hint: "Give each phase its own id" })];
}

function gateFaults(file: YamlFile, gate: unknown, path: KeyPath): SprintFault[] {
  if (gate === undefined || (typeof gate === "string" && gate.trim() !== "")) return [];
  const says = { rule: "must be a command, or `{ run, timeout }`", hint: "Write `gate: npm test`" };
  if (!isMapping(gate) || gate["run"] === undefined) return [faultAt(file, { path }, says)];
  return keyFaults(file, gate, { path, checks: GATE });
}

/** The part that concerns a sprint: which hooks there are. How one works is not its business. */
function hooksFaults(file: YamlFile): SprintFault[] {
  const hooks = file.data["per-iteration-hooks"] ?? [];
  const path: KeyPath = ["per-iteration-hooks"];
  if (!Array.isArray(hooks)) {
    return [faultAt(file, { path }, { rule: "must be a list of hooks", hint: HOOK_HINT })];
  }
  const ids = hooks.map((hook: unknown) => (isMapping(hook) ? (hook["id"] ?? hook["use"]) : undefined));
  return hooks.flatMap((hook: unknown, index) =>
    isMapping(hook)
      ? hookFaults(file, hook, { ids, index })
      : [faultAt(file, { path: [...path, index] }, { rule: "must be a mapping", hint: HOOK_HINT })],
  );
}

const HOOK_HINT = "Write `- id: learning` with `prompt`, `run` or `workflow`";

function hookFaults(file: YamlFile, { enabled }: Mapping, { ids, index }: Listed): SprintFault[] {
  const at = ["per-iteration-hooks", index];
  const off = enabled === undefined ? undefined : switchValue(enabled);
  const id = ids[index];
  const isTwice = id !== undefined && ids.indexOf(id) !== index;
  return [
    ...(id === undefined ? [faultAt(file, { path: at }, { rule: "needs a key `id`", hint: HOOK_HINT })] : []),
    ...(isTwice ? [faultAt(file, { path: [...at, "id"] }, { rule: "is there twice", hint: "Rename one" })] : []),
    ...(off === undefined ? [] : [faultAt(file, { path: [...at, "enabled"] }, off)]),
  ];
}
