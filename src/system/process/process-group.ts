/** Sends a signal to all of a process group, if there is any of it. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // The group has ended by itself.
  }
}

/**
 * Ends what stayed in the group of a process that is gone and was waited for. If another process has its number by
 * now, the group is another too: a number that a group still has is never given away.
 */
export function endGroup(leader: number): void {
  try {
    process.kill(leader, 0);
  } catch {
    signalGroup(leader, "SIGKILL"); // nobody has the number: the group, if there is one, is the old one
  }
}
