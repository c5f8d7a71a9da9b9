import { RalphError } from "../../domain/error.ts";
import { all, type Connection, patiently, read, run, write } from "./connection.ts";
import { attemptOwner } from "./rows.ts";
import { DamageError } from "./sqlite-error.ts";

/** A process that had written died without closing: the file is read through once before it is trusted again. */
export async function refuseIfUnsound(c: Connection): Promise<void> {
  const dead = await read(c, () =>
    all(c, "SELECT * FROM opening").filter((row) => c.isAlive(attemptOwner(row)) === false),
  );
  if (dead.length === 0) return;
  const found = await patiently(c, () => c.db.prepare("PRAGMA quick_check(1)").get());
  if (found?.["quick_check"] !== "ok") {
    throw new RalphError("io", `The task database \`${c.path}\` was damaged when its last process died`, {
      hint: "Look at it with: ralphctl doctor",
      cause: new DamageError("quick_check"),
    });
  }
  await write(c, () => {
    for (const row of dead) run(c, "DELETE FROM opening WHERE handle = ?", row["handle"]!);
  });
}
