/** How much of a person's own set-up of an agent applies in sessions. */
export const USER_SETTINGS = ["all", "login", "none"] as const;

export type UserSettings = (typeof USER_SETTINGS)[number];
