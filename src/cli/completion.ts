import type { Command, Option } from "./command.ts";
import { TOPICS } from "./topics/index.ts";

export type Shell = "bash" | "zsh" | "fish";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

export interface Proposal {
  readonly word: string;
  readonly doc: string;
}

/** Tells the shell to propose files or folders by itself. */
const FILES = ":file";
const FOLDERS = ":folder";

/** What could stand in place of the last of these words. The words are those after the program's name. */
export function proposals(commands: readonly Command[], words: readonly string[]): Proposal[] {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  // What follows `help` is a command, or a topic.
  if (before[0] === "help") {
    const topics = before.length === 1 ? Object.entries(TOPICS).map(([word, doc]) => ({ word, doc })) : [];
    return startingWith(current, [...commandWords(commands, before.slice(1)), ...topics]);
  }
  const command = named(commands, before);
  if (!command && current.startsWith("-")) return startingWith(current, before.length === 0 ? TOP_OPTIONS : []);
  if (!command)
    return startingWith(current, [...commandWords(commands, before), ...(before.length === 0 ? [HELP] : [])]);

  const own = before.slice(command.name.split(" ").length);
  const pending = optionOf(command, own.at(-1));
  if (pending && takesValue(pending)) return startingWith(current, valuesOf(pending));
  if (current.startsWith("-")) return startingWith(current, optionWords(command, before));
  return startingWith(current, argumentWords(command, own));
}

const HELP: Proposal = { word: "help", doc: "print help for a command or a topic" };

const TOP_OPTIONS: readonly Proposal[] = [
  { word: "--version", doc: "print the version" },
  { word: "--help", doc: "print help" },
];

/** The script that a shell evaluates once. It asks us for every proposal, so it never becomes old. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];

const startingWith = (current: string, all: readonly Proposal[]): Proposal[] =>
  all.filter(({ word }) => word.startsWith(current) || word === FILES || word === FOLDERS);

function named(commands: readonly Command[], words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => words.slice(0, name.split(" ").length).join(" ") === name);
}

/** The next word of every command that begins with these words. */
function commandWords(commands: readonly Command[], before: readonly string[]): Proposal[] {
  const prefix = before.map((word) => `${word} `).join("");
  const next = new Map<string, string>();
  for (const { name, summary, hidden } of commands) {
    if (hidden || !name.startsWith(prefix)) continue;
    const [word = "", ...rest] = name.slice(prefix.length).split(" ");
    next.set(word, rest.length === 0 ? summary : [next.get(word), rest[0]].filter(Boolean).join(", "));
  }
  return Array.from(next, ([word, doc]) => ({ word, doc }));
}

const flagsOf = ({ flags }: Option): string[] => flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));

const takesValue = ({ flags }: Option): boolean => flags.includes("<");

const optionOf = (command: Command, word: string | undefined): Option | undefined =>
  command.options?.find((option) => word !== undefined && flagsOf(option).includes(word));

function valuesOf({ choices, completes }: Option): Proposal[] {
  if (choices) return choices.map((word) => ({ word, doc: "" }));
  if (completes === undefined) return [];
  return [{ word: completes === "file" ? FILES : FOLDERS, doc: "" }];
}

function optionWords(command: Command, before: readonly string[]): Proposal[] {
  const isUsed = (option: Option): boolean => flagsOf(option).some((flag) => before.includes(flag));
  const unused = (command.options ?? []).filter((option) => option.isRepeatable || !isUsed(option));
  return [
    ...unused.map((option) => ({ word: flagsOf(option).at(-1)!, doc: option.doc })),
    { word: "--help", doc: "print help" },
  ];
}

function argumentWords(command: Command, own: readonly string[]): Proposal[] {
  const isValue = own.map((_, index) => index > 0 && takesValue(optionOf(command, own[index - 1]) ?? NO_OPTION));
  const position = own.filter((word, index) => !word.startsWith("-") && !isValue[index]).length;
  const { choices, proposes = [] } = command.args?.[position] ?? {};
  return (choices ?? proposes).map((word) => ({ word, doc: "" }));
}

const NO_OPTION: Option = { flags: "", doc: "" };

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# ralphctl completion for bash: source <(ralphctl completion bash)
_ralphctl() {
  local word line found current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    case $word in
      ${FILES}) compopt -o filenames; mapfile -t found < <(compgen -f -- "$current"); COMPREPLY+=("\${found[@]}") ;;
      ${FOLDERS}) compopt -o filenames; mapfile -t found < <(compgen -d -- "$current"); COMPREPLY+=("\${found[@]}") ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ralphctl ralphctl ralph
`,
  zsh: `#compdef ralphctl ralph
# ralphctl completion for zsh: source <(ralphctl completion zsh)
_ralphctl() {
  local line word doc
  local -a found
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    doc=\${line#*$'\\t'}
    case $word in
      ${FILES}) _files; return ;;
      ${FOLDERS}) _files -/; return ;;
      *) found+=("\${word//:/\\\\:}:$doc") ;;
    esac
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe ralphctl found
}
compdef _ralphctl ralphctl ralph
`,
  fish: `# ralphctl completion for fish: ralphctl completion fish | source
function __ralphctl_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    switch $line
      case '${FILES}*'
        __fish_complete_path "$current"
      case '${FOLDERS}*'
        __fish_complete_directories "$current"
      case '*'
        echo $line
    end
  end
end
complete -c ralphctl -f -a '(__ralphctl_complete)'
complete -c ralph -f -a '(__ralphctl_complete)'
`,
};
