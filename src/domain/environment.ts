/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All variables of ours begin with it. */
export const VARIABLE_PREFIX = "RALPHCTL_";
