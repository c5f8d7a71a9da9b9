/** A function that only connections of ralphctl have. Its name is what everybody else is told: "no such function: …". */
export const WRITER = "only_ralphctl_may_write";

export const TABLES: readonly string[] = ["task", "dependency", "attempt", "log", "meta", "removed"];
const EVENTS = ["INSERT", "UPDATE", "DELETE"];

/**
 * Statements of others that write to these tables cannot be compiled, so agents change tasks through commands (W-02).
 * The function is never called: a trigger that does nothing costs a writer of ours next to nothing.
 */
export const writerTriggers: readonly string[] = TABLES.flatMap((table) =>
  EVENTS.map(
    (event) =>
      `CREATE TRIGGER ${table}_${event.toLowerCase()} AFTER ${event} ON ${table} BEGIN SELECT ${WRITER}() WHERE 0; END`,
  ),
);

export const writers = `${writerTriggers.join(";\n")};`;
