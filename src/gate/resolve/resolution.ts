/** A path whose content decides what a gate checks. */
export interface DecidingPath {
  /**
   * Below the workspace. It need not exist: a file that is made there would decide, too. With `*` or `?` it means new files
   * that match.
   */
  readonly path: string;
  /** Parts of a JSON or TOML file, as `scripts.test`, or of a make file, as `rule.check`; absent: all of it. */
  readonly keys?: readonly string[];
  readonly why: string;
  /** It is the gate's own definition: its script, recipe or configuration entry. */
  readonly isDefinition: boolean;
  /** A change of it is a change of a test: of data that a gate compares with, or of a check that the base does not have. */
  readonly isTest?: boolean;
}

/** Scripts and members of a package decide together; in words those that `keys` name: `scripts check, test; workspaces`. */
export function whyOf({ why, keys = [] }: Pick<DecidingPath, "why" | "keys">): string {
  if (!/^(?:script [^ ]+|members of the workspace)$/.test(why)) return why;
  const scripts = keys.flatMap((key) => (key.startsWith("scripts.") ? key.slice("scripts.".length) : []));
  const others = keys.filter((key) => !key.startsWith("scripts."));
  if (scripts.length === 0 && !why.startsWith("script ")) return why;
  const named = scripts.length === 0 ? [] : [`${scripts.length === 1 ? "script" : "scripts"} ${scripts.join(", ")}`];
  return [...named, ...others].join("; ") || why;
}

/** T-10: what decides the result of a gate, besides the work. */
export interface Resolution {
  readonly decides: readonly DecidingPath[];
  /** Parts of the command that the resolver cannot read, in words. */
  readonly notFollowed: readonly string[];
  /** Tools whose configuration decides by its name, also when it is new in a folder that existed. */
  readonly byName: readonly string[];
}
