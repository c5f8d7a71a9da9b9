export interface FirstSettings {
  readonly harness: string;
  /** Undefined: `auto`. */
  readonly gates?: readonly { readonly id: string; readonly run: string }[] | undefined;
  /** Undefined: the default. */
  readonly specs?: string | undefined;
}

/**
 * The `.ralph/config.yaml` that `init` writes: short, and valid with any of its commented keys switched on.
 * Prose begins in the first column; a commented key is indented, as editors comment it, so that switching it on is one keystroke.
 */
export const defaultConfigText = ({ harness, gates, specs }: FirstSettings): string =>
  `# yaml-language-server: $schema=./config.schema.json
# Configuration of ralphctl. \`ralphctl config schema\` describes every key, \`ralphctl config get\` shows what is in effect.

# The agent that does the work. A list is an order: the next takes over on a limit or an outage.
harness: ${harness}

# The checks that decide whether work is done: auto finds those of this repository.
# A list names them: [{ id: test, run: npm test }]
gates:${gatesText(gates)}

# Settings of the agent; not set: the model that it chooses itself.
harnesses:
  ${harness}:
    # model: ~

# Folders of specifications, which the agent reads and never changes.
specs:
  ${specs === undefined ? "# dirs: [.ralph/specs]" : `dirs: [${JSON.stringify(specs)}]`}

# Ceilings of one run; ~ is none. Durations like 30s, 5m, 2h; cost in US dollars.
limits:
  # iterations: ~
  # time: ~
  # cost: ~
  # attempts: 3
  # inactivity: 15m

# Files that the agent must not change or delete.
verify:
  # protect: [.ralph/config.yaml, ".github/workflows/**"]

git:
  # commit: true
  # branch: ~
`;

// What JSON quotes, YAML reads as the same text.
function gatesText(gates: FirstSettings["gates"]): string {
  if (gates === undefined) return " auto";
  if (gates.length === 0) return " []";
  return gates.map(({ id, run }) => `\n  - { id: ${JSON.stringify(id)}, run: ${JSON.stringify(run)} }`).join("");
}
