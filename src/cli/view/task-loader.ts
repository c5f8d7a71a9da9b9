import type { OtherTasks } from "../../app/run/other-tasks.ts";

export interface TaskLoader {
  /** Undefined until they are known. */
  readonly tasks: () => OtherTasks | undefined;
  /** The run has changed tasks: reads them at once, unless it just has. */
  readonly changed: () => void;
  /** Called every second. */
  readonly tick: () => void;
}

/** Others may change tasks, too: they are read again after so many seconds. */
const RENEW_TICKS = 5;

/** Reads the tasks of a run in the background, at most once a second. If that fails, the last ones stay. */
export function createTaskLoader(request: {
  readonly load: () => Promise<OtherTasks | undefined>;
  readonly isWanted: () => boolean;
  readonly onLoaded: () => void;
}): TaskLoader {
  let tasks: OtherTasks | undefined;
  let isLoading = false;
  let ticks = RENEW_TICKS;
  // Read since the last tick.
  let isFresh = false;
  const load = async (): Promise<void> => {
    isLoading = true;
    ticks = 0;
    isFresh = true;
    try {
      tasks = (await request.load()) ?? tasks;
      request.onLoaded();
    } catch {
      // A store that is busy or gone must not end the view.
    } finally {
      isLoading = false;
    }
  };
  const loadIfDue = (): void => {
    if (ticks >= RENEW_TICKS && !isLoading && !isFresh && request.isWanted()) void load();
  };
  return {
    tasks: () => tasks,
    changed: () => {
      ticks = RENEW_TICKS;
      loadIfDue();
    },
    tick: () => {
      isFresh = false;
      ticks += 1;
      loadIfDue();
    },
  };
}
