import type { Usage } from "../domain/agent-event.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";

/** More messages than are ever under way at once. */
const MAX_OPEN = 256;

/** What messages took, until a result says it better. */
export interface UnbilledUsage {
  /** The numbers of a message are repeated with each of its parts: the last ones hold. */
  readonly note: (message: string, usage: Usage) => void;
  readonly clear: () => void;
  readonly total: () => Usage;
}

/** Sums up what messages took, in bounded memory: the numbers of one that is long over are kept in the sum alone. */
export function sumUnbilled(): UnbilledUsage {
  const open = new Map<string, Usage>();
  let over = NO_USAGE;
  return {
    note: (message, usage) => {
      open.set(message, usage);
      if (open.size <= MAX_OPEN) return;
      for (const [oldest, took] of open) {
        over = addUsage(over, took);
        open.delete(oldest);
        break;
      }
    },
    clear: () => {
      open.clear();
      over = NO_USAGE;
    },
    total: () => [...open.values()].reduce(addUsage, over),
  };
}
