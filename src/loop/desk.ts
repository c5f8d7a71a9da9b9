/** Things that are lent to one holder at a time, in the order in which they were asked for. */
export interface Pool<Item> {
  readonly take: () => Promise<Item>;
  readonly give: (item: Item) => void;
}

export function poolOf<Item>(items: readonly Item[]): Pool<Item> {
  const free = [...items];
  const waiting: ((item: Item) => void)[] = [];
  return {
    take: async () => (free.length > 0 ? free.shift()! : await new Promise((resolve) => waiting.push(resolve))),
    give: (item) => {
      const next = waiting.shift();
      if (next === undefined) free.push(item);
      else next(item);
    },
  };
}

/**
 * L-08: the lanes of a run share its state, the tasks and the person's plan files. Only the lane that sits at the desk
 * may change them. It steps aside while a session, a gate, set-up or a wait runs, so that the other lanes can go on.
 */
export interface Seat {
  /** Runs an action at the desk. */
  readonly sit: <Result>(action: () => Promise<Result>) => Promise<Result>;
  /** Leaves the desk to others while an action runs. */
  readonly aside: <Result>(action: () => Promise<Result>) => Promise<Result>;
}

/** The seat of one lane at a desk, which is a pool of one. */
export function seatAt(desk: Pool<"desk">): Seat {
  // An action that runs aside may step aside itself.
  let asides = 0;
  return {
    sit: async (action) => {
      const held = await desk.take();
      try {
        return await action();
      } finally {
        desk.give(held);
      }
    },
    aside: async (action) => {
      asides += 1;
      if (asides === 1) desk.give("desk");
      try {
        return await action();
      } finally {
        asides -= 1;
        if (asides === 0) await desk.take();
      }
    },
  };
}

/** The same for code that also runs without a loop, where nobody waits. */
export const stepAside = async <Result>(
  { aside }: { readonly aside?: Seat["aside"] | undefined },
  action: () => Promise<Result>,
): Promise<Result> => (aside === undefined ? await action() : await aside(action));

export const inRoomOf = async <Result>(
  { inRoom }: { readonly inRoom?: Seat["aside"] | undefined },
  action: () => Promise<Result>,
): Promise<Result> => (inRoom === undefined ? await action() : await inRoom(action));

export const asLanderOf = async <Result>(
  { asLander }: { readonly asLander?: Seat["aside"] | undefined },
  action: () => Promise<Result>,
): Promise<Result> => (asLander === undefined ? await action() : await asLander(action));

/** L-10: with `lanes.exclusiveGates`, gates run only while no session does. Proofs that wait come before new sessions. */
export interface Quiet {
  /** Runs a session, once no proof runs or waits. */
  readonly session: <Result>(action: () => Promise<Result>) => Promise<Result>;
  /** From now on no session begins. */
  readonly ask: () => void;
  /** Resolves when no session runs. */
  readonly begin: () => Promise<void>;
  readonly end: () => void;
}

export function createQuiet(): Quiet {
  const bell = createBell();
  let sessions = 0;
  let proofs = 0;
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await bell.next();
  };
  return {
    session: async (action) => {
      await until(() => proofs === 0);
      sessions += 1;
      try {
        return await action();
      } finally {
        sessions -= 1;
        bell.ring();
      }
    },
    ask: () => {
      proofs += 1;
    },
    begin: async () => await until(() => sessions === 0),
    end: () => {
      proofs -= 1;
      bell.ring();
    },
  };
}

/** Wakes those who wait for something to change. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves when it rings next. */
  readonly next: () => Promise<void>;
}

export function createBell(): Bell {
  let ring: () => void;
  let next: Promise<void>;
  const renew = (): void => {
    next = new Promise((resolve) => {
      ring = resolve;
    });
  };
  renew();
  return {
    ring: () => {
      ring();
      renew();
    },
    next: async () => await next,
  };
}
