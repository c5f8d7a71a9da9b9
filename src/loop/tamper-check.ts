import type { RevertedTask, StoreFile, TaskSnapshot } from "../store/store.ts";

/** W-02: undoes changes of a session to tasks without ralphctl, and describes them. Call `guard()` first. */
export async function revertTampering(file: StoreFile, before: TaskSnapshot): Promise<string[]> {
  return (await file.revertTampering(before)).map(sentence);
}

function sentence({ id, kind, fields }: RevertedTask): string {
  if (kind === "deleted") return `${id} was deleted without ralphctl; the deletion was undone`;
  if (kind === "inserted") return `${id} was added without ralphctl and removed; use ralphctl task add`;
  return `${id} was changed without ralphctl (${fields.join(", ")}); the change was undone`;
}
