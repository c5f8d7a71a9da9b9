/** Who we are; undefined: root, who needs no user namespace to make others. */
export function thisUser(): { readonly uid: number; readonly gid: number } | undefined {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  return uid === 0 ? undefined : { uid, gid };
}
