/**
 * Whether a path is what ralphctl keeps for itself in a `.ralph/` folder. An ignore file says so to git, but a session
 * may delete that, or add what it names by force: no change of these is anybody's work, and none is ever put back.
 */
export const isInternalPath = (path: string): boolean =>
  /(?:^|\/)\.ralph\/(?:ralph\.db|lock|(?:runs|backup|context)\/)/.test(path);
