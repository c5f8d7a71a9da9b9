/** Put in by the build, from package.json. */
declare const RALPHCTL_VERSION: string | undefined;

export const version: string = typeof RALPHCTL_VERSION === "string" ? RALPHCTL_VERSION : "0.0.0";
