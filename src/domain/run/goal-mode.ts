/** What an iteration without a pending step is for (S003-05). */
export type GoalMode = "planning" | "reflecting";

/** How many reflections in a row may come to nothing (D-12). */
const FRUITLESS_REFLECTIONS = 2;

/** `idle`: iterations in a row that began with no step pending and added none. */
export const goalMode = (idle: number, threshold: number): GoalMode => (idle >= threshold ? "reflecting" : "planning");

/** No iteration found a step to do, and none claimed that the goal is achieved. */
export const isOutOfIdeas = (idle: number, threshold: number): boolean => idle >= threshold + FRUITLESS_REFLECTIONS;
