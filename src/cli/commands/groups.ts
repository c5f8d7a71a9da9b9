/** The headings of the help page, in its order. */
export const START = "Start";
export const WORK = "Work";
export const SETTINGS = "Settings";
