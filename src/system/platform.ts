/** The system that this is, as Node names it. */
export const platform = (): string => process.platform;
