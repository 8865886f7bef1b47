import { UcpError } from '../../../../core/errors.ts';

/** What each shell is told: to ask `ucp-sandbox __complete` with the words so far. Where that says nothing, files. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_ucp_sandbox() {
  local IFS=$'\\n'
  COMPREPLY=($(ucp-sandbox __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _ucp_sandbox ucp-sandbox
`,
  zsh: `#compdef ucp-sandbox
_ucp_sandbox() {
  local -a found
  found=("\${(@f)$(ucp-sandbox __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" = _ucp_sandbox ]]; then _ucp_sandbox; else compdef _ucp_sandbox ucp-sandbox; fi
`,
  fish: `function __ucp_sandbox
  set -l words (commandline -opc) (commandline -ct)
  set -l found (ucp-sandbox __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ucp-sandbox -f -a '(__ucp_sandbox)'
`,
};

export const SHELLS = Object.keys(SCRIPTS);

/** The script of a shell. Throws USAGE. */
export function completionScript(shell: string): string {
  const script = SCRIPTS[shell];
  if (script !== undefined) return script;
  throw new UcpError('USAGE', `Expected one of ${SHELLS.join(', ')}, got ${JSON.stringify(shell)}.`);
}
