import type { RedactRules } from "../domain/redact.ts";
import type { UserSettings } from "../domain/user-settings.ts";
import type { HookPoint } from "../domain/hook.ts";
import type { OutputFormat } from "../domain/output-format.ts";
import type { SandboxChoice } from "../domain/sandbox/sandbox.ts";
import type { ShippedHook } from "../domain/shipped-hook.ts";

// Written out, although the schema could say it: a program that uses the library has no zod to read that with. A test
// compares the two.

/**
 * Every key with its value, complete and frozen. Keys are those of the file.
 * Durations (all of `limits` that are not counts, `timeout`) are milliseconds, sizes (`limits.prompt`,
 * `limits.context`, `git.maxFile`) bytes, `limits.cost` US dollars; null is "not set"; `harness` is always a list.
 */
export interface Config {
  readonly harness: readonly string[];
  readonly harnesses: Readonly<Record<string, HarnessConfig>>;
  readonly models: { readonly strategy: "fixed" | "cost-optimized" | "escalate" | "plan-then-execute" };
  readonly specs: { readonly dirs: readonly string[] };
  readonly plan: "auto" | readonly string[];
  readonly prompts: {
    readonly plan: string;
    readonly build: string;
    readonly layout: "wrapped" | "preamble-first";
    readonly template: string | null;
  };
  readonly promise: string;
  readonly gates: "auto" | readonly GateConfig[];
  readonly verify: {
    readonly in: "room" | "tree";
    readonly setup: string | null;
    readonly protect: readonly string[];
    readonly testFiles: readonly string[];
    readonly tests: "look" | "lock" | "free";
    readonly extra: number;
    readonly applyFixes: boolean;
    readonly packageFirst: "auto" | "on" | "off";
    readonly together: "on" | "off";
    readonly reviewer: string | null;
    readonly allowUnverified: boolean;
  };
  readonly lanes: {
    readonly count: number | "auto";
    readonly gates: number;
    readonly exclusiveGates: boolean;
    readonly inPlace: boolean;
    readonly folder: string | null;
    readonly setup: string | null;
    readonly env: Readonly<Record<string, string>>;
    readonly keep: readonly string[];
  };
  readonly git: { readonly commit: boolean; readonly branch: string | null; readonly maxFile: number };
  readonly fleet: { readonly remote: string; readonly lease: number; readonly patience: number };
  readonly commit: { readonly allow: readonly string[] };
  readonly limits: LimitsConfig;
  readonly hooks: readonly HookConfig[];
  readonly notify: {
    readonly terminal: "on" | "off";
    readonly ntfy: string | null;
    readonly slack: string | null;
    readonly discord: string | null;
    readonly telegram: string | null;
    readonly telegramChat: string | null;
    readonly webhook: string | null;
  };
  readonly layouts: readonly string[];
  readonly workflows: readonly string[];
  readonly plugins: Readonly<Record<string, string>>;
  readonly sprint: { readonly idleThreshold: number };
  readonly redact: RedactRules;
  readonly processes: { readonly keep: boolean; readonly namespace: "auto" | "on" | "off" };
  readonly sandbox: {
    readonly agent: SandboxChoice;
    readonly gates: SandboxChoice | "same";
    readonly write: readonly string[];
    readonly read: readonly string[];
    readonly hide: readonly string[];
    readonly image: string | null;
  };
}

export interface HarnessConfig {
  readonly model: string | null;
  readonly smart: string | null;
  readonly fast: string | null;
  readonly models: readonly string[];
  readonly bin: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly userSettings: UserSettings;
  readonly preamble: boolean;
  readonly kind: "acp" | null;
  readonly run: string | null;
  readonly permissions: "allow" | "reject";
  readonly promptBy: "stdin" | "file" | "argument";
  readonly output: OutputFormat;
  readonly script: string | null;
  readonly recording: string | null;
}

export interface GateConfig {
  readonly id: string;
  readonly run: string;
  readonly timeout: number | null;
  readonly retries: number;
}

/** A hook of the configuration, with defaults filled in. */
export interface HookConfig {
  readonly id: string | null;
  readonly on: readonly HookPoint[] | null;
  readonly run: string | null;
  readonly prompt: string | null;
  readonly workflow: string | null;
  readonly use: ShippedHook | null;
  readonly url: string | null;
  readonly parallel: boolean;
  readonly enabled: boolean;
  readonly timeout: number | null;
}

export interface LimitsConfig {
  /** 0: no limit. */
  readonly iterations: number | null;
  readonly minIterations: number;
  readonly attempts: number;
  readonly iterationsPerTask: number;
  readonly errors: number;
  readonly noProgress: number;
  readonly conflicts: number;
  readonly newTasks: number;
  readonly time: number | null;
  readonly cost: number | null;
  readonly tokens: number | null;
  readonly inactivity: number;
  readonly attempt: number;
  readonly grace: number;
  readonly retryPatience: number;
  readonly gate: number;
  readonly hook: number;
  readonly setup: number;
  readonly wait: number;
  readonly prompt: number;
  readonly context: number;
}
