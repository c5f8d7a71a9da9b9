import { fileKey } from "../../system/store-file.ts";
import type { GuardReport } from "../store.ts";
import type { Connection } from "./connection.ts";
import { isDamaged, rememberHome, whatHappened, writeBack } from "./guard.ts";

interface HomeKeeper {
  readonly keepHome: () => void;
  readonly isAtHome: () => boolean;
  readonly guard: () => GuardReport;
}

/** Looks after the file of a handle: before every write, and when asked (W-03). */
export function homeKeeper(
  c: Connection,
  { copy, opened }: { copy: string | undefined; opened: string | undefined },
): HomeKeeper {
  const home = rememberHome(c, opened);
  let report: GuardReport = { kind: "intact" };
  const keepHome = (): void => {
    const why = whatHappened(c, home);
    if (why === undefined) return;
    report = writeBack(c, home, { why, copy });
  };
  const guard = (): GuardReport => {
    keepHome();
    if (isDamaged(c, home)) {
      report = writeBack(c, home, { why: "damaged", copy });
    }
    const told = report;
    report = { kind: "intact" };
    return told;
  };
  // Under the write lock one look is enough: the WAL was there a moment ago.
  return { keepHome, isAtHome: () => fileKey(c.path) === home.database, guard };
}
