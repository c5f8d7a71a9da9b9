/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All variables of ours begin with it. */
export const VARIABLE_PREFIX = "RALPHCTL_";

/** The address of a fleet's database. Its value is a login: it is never shown, and nothing that agents start gets it (F-08). */
export const FLEET_VARIABLE = "RALPHCTL_FLEET_URL";
