import type { RunRecord } from "./run-record.ts";

/** U-07: the record of a run as JSON, which a browser goes on with: maps are lists of pairs. */
export const recordJson = (run: RunRecord) => ({
  ...run,
  iterations: [...run.iterations],
  summary: { ...run.summary, tasks: [...run.summary.tasks], changes: [...run.summary.changes] },
  pace: { ...run.pace, open: [...run.pace.open] },
});

export type RecordJson = ReturnType<typeof recordJson>;

/** The record of such JSON, also after it was written and read. */
export const recordOf = ({ iterations, summary, pace, ...rest }: RecordJson): RunRecord => ({
  ...rest,
  iterations: new Map(iterations),
  summary: {
    ...summary,
    tasks: new Map(summary.tasks),
    // JSON has no undefined in a list.
    changes: new Map(summary.changes.map(([change, ending]) => [change, ending ?? undefined])),
  },
  pace: { ...pace, open: new Map(pace.open) },
});
