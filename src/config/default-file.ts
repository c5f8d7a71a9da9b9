export interface FirstSettings {
  readonly harness: string;
  /** Undefined: `auto`. */
  readonly gates?: readonly { readonly id: string; readonly run: string }[] | undefined;
  /** Undefined: the default. */
  readonly specs?: string | undefined;
}

/**
 * The `.ralph/config.yaml` that `init` writes. It stays valid if you uncomment any of its keys.
 * Prose begins in the first column. Commented keys are indented as editors comment them, so that uncommenting takes one keystroke.
 */
export const defaultConfigText = ({ harness, gates, specs }: FirstSettings): string =>
  `# yaml-language-server: $schema=./config.schema.json
# Configuration of ralphctl. \`ralphctl config schema\` describes every key, \`ralphctl config get\` shows the values in effect.

# The agent that does the work, or a list: the next one takes over on a usage limit or an outage.
harness: ${harness}

# The checks that decide whether work is done. auto detects them;
# to choose your own, write a list: [{ id: test, run: npm test }]
gates:${gatesText(gates)}

# Settings of the agent. Without a model, it uses its own default.
harnesses:
  ${harness}:
    # model: ~

# Folders with specs. The agent reads them and must not change them.
specs:
  ${specs === undefined ? "# dirs: [.ralph/specs]" : `dirs: [${JSON.stringify(specs)}]`}

# Limits of one run; ~ means none. Durations like 30s, 5m, 2h; cost in US dollars.
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

// A JSON string is valid YAML.
function gatesText(gates: FirstSettings["gates"]): string {
  if (gates === undefined) return " auto";
  if (gates.length === 0) return " []";
  return gates.map(({ id, run }) => `\n  - { id: ${JSON.stringify(id)}, run: ${JSON.stringify(run)} }`).join("");
}
