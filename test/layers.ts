/** What each folder of src/ may import. What is not listed is forbidden. This table is the architecture. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  system: ["domain"],
  config: ["domain", "system"],
  plan: ["domain"],
  foreign: ["domain"],
  store: ["domain", "system"],
  scope: ["domain", "system"],
  harness: ["domain", "system"],
  gate: ["domain", "system"],
  lane: ["domain", "system", "gate"],
  loop: ["domain", "system", "store", "plan", "scope", "harness", "gate", "lane"],
  app: ["domain", "system", "config", "plan", "foreign", "store", "scope", "harness", "gate", "lane", "loop"],
  format: ["domain", "app"],
  ui: ["domain", "app", "format"],
  cli: ["domain", "app", "format", "ui"],
};

/** Every file of these may be imported. All other folders are entered by their contract: store/store.ts. */
export const openFolders: readonly string[] = ["domain", "system", "lane", "loop", "app", "format", "ui"];

/** Alone may see the catalogues (harness/index.ts), because it picks from them. */
export const assembler = "app";

/** The only folders that may touch the machine: a module of Node's that reaches files, processes or the network. */
export const machineFolders: readonly string[] = ["system"];
