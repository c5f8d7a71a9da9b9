import { FILES, FOLDERS } from "./completion.ts";

export type Shell = "bash" | "zsh" | "fish";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

/** The script that a shell evaluates once. It asks us for every proposal, so it never becomes old. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# ralphctl completion for bash: source <(ralphctl completion bash)
_ralphctl() {
  local word line found quoted current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    case $word in
      ${FILES}) compopt -o filenames 2>/dev/null
        while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$current") ;;
      ${FOLDERS}) compopt -o filenames 2>/dev/null
        while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -d -- "$current") ;;
      *) printf -v quoted %q "$word"; COMPREPLY+=("$quoted") ;;
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
