import type { RevertedTask, StoreFile, TaskSnapshot } from "../store/store.ts";

/** After a session, and after `guard()`: undoes what it did to tasks without ralphctl, and says what that was (W-02). */
export async function revertTampering(file: StoreFile, before: TaskSnapshot): Promise<string[]> {
  return (await file.revertTampering(before)).map(sentence);
}

function sentence({ id, kind, fields }: RevertedTask): string {
  if (kind === "deleted") return `${id} was deleted without ralphctl; the deletion was undone`;
  if (kind === "inserted") return `${id} was added without ralphctl and removed; use ralphctl task add`;
  return `${id} was changed without ralphctl (${fields.join(", ")}); the change was undone`;
}
