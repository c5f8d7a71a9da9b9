import { userInfo } from "node:os";

/** Who we are; undefined: root, who needs no user namespace to make others. */
export function thisUser(): { readonly uid: number; readonly gid: number } | undefined {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  return uid === 0 ? undefined : { uid, gid };
}

/** The home folder that the system knows, whatever `HOME` says. Undefined: it knows none. */
export function homeOfUser(): string | undefined {
  try {
    const { homedir } = userInfo();
    return homedir.startsWith("/") && homedir !== "/" ? homedir : undefined;
  } catch {
    return undefined; // a number without an entry, as in some containers
  }
}
