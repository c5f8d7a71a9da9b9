import { FILES, FOLDERS } from "./completion.ts";

export type Shell = "bash" | "zsh" | "fish";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

/** The script that a shell evaluates once. It asks ralphctl for every proposal, so it never gets stale. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# ralphctl completion for bash: eval "$(ralphctl completion bash)"
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
      *) printf -v quoted %q "$word"
        # What stands in quotation marks needs no other.
        case $current in [\\"\\']*) quoted=$word ;; esac
        COMPREPLY+=("$quoted") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ralphctl ralphctl ralph
`,
  zsh: `#compdef ralphctl ralph
# ralphctl completion for zsh: source <(ralphctl completion zsh), or as a file _ralphctl in a folder of fpath
_ralphctl() {
  local line word doc
  local -a found
  while IFS= read -r line; do
    word=\${line%%$'\\t'*}
    doc=\${line#*$'\\t'}
    case $word in
      ${FILES}) compset -P '--*='; _files; return ;;
      ${FOLDERS}) compset -P '--*='; _files -/; return ;;
      *) found+=("\${word//:/\\\\:}\${doc:+:$doc}") ;;
    esac
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe ralphctl found
}
if [[ $funcstack[1] == _ralphctl ]]; then
  _ralphctl "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _ralphctl ralphctl ralph
fi
`,
  fish: `# ralphctl completion for fish: ralphctl completion fish | source
function __ralphctl_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l flag (string match -r -- '^--[a-z-]+=' "$current")
  set -l value (string replace -- "$flag" '' "$current")
  type -q -- $words[1]; or return
  for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    switch $line
      case '${FILES}*'
        for found in (__fish_complete_path "$value"); echo "$flag$found"; end
      case '${FOLDERS}*'
        for found in (__fish_complete_directories "$value"); echo "$flag$found"; end
      case '*'
        echo $line
    end
  end
end
complete -c ralphctl -f -a '(__ralphctl_complete)'
complete -c ralph -f -a '(__ralphctl_complete)'
`,
};
