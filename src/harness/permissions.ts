/** For agents that ralphctl starts in the mode that asks for nothing: nobody is there to answer. */
export const everyPermission = (how: string): string => `may do whatever your account may, without asking (${how})`;
