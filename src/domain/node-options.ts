import type { Environment } from "./environment.ts";

/** `--inspect`, `--inspect-brk=9229` and the like; the value may be in quotes. */
const INSPECT = /(?:^|(?<=\s))"?--inspect(?:-[a-z-]+)?(?:=[^\s"]*)?"?(?=\s|$)/g;

/** B-06: the environment without a parent's wish to debug: each Node that is started would open a port. */
export function withoutInspector<Env extends Environment>(env: Env): Env | (Env & { readonly NODE_OPTIONS: string }) {
  const options = env["NODE_OPTIONS"];
  if (options === undefined || !options.includes("--inspect")) return env;
  return { ...env, NODE_OPTIONS: options.replaceAll(INSPECT, "").replaceAll(/\s+/g, " ").trim() };
}
