/**
 * Whether ralphctl keeps this path for itself in a `.ralph/` folder. Git ignores these files, but a session may delete
 * the ignore file or force-add them: their changes never count as work and are never reverted.
 */
export const isInternalPath = (path: string): boolean =>
  /(?:^|\/)\.ralph\/(?:ralph\.db|lock|(?:runs|backup|context)\/)/.test(path);
