const MOST_LANES = 100;

/** The member of a fleet whose lane it is: lanes of a fleet have the number of their member before their own. */
export const memberOf = (lane: number): number | undefined =>
  lane < MOST_LANES ? undefined : Math.floor(lane / MOST_LANES);
