/** Of the Node that runs this. */
export const nodeVersion = (): string => process.versions.node;
