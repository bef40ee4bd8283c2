import type { Command } from 'commander';
import { CommandRefused } from './control.js';

/** Words and options of each command; what the shell does with them is the same in bash and, by its emulation, in zsh. */
export function completionScript(root: Command, shell: string): string {
  if (shell !== 'bash' && shell !== 'zsh') throw new CommandRefused(`there is a script for bash and one for zsh, and none for ${shell}`);
  const names = root.commands.map((command) => command.name());
  const cases = root.commands.map((command) => `    ${command.name()}) words="${command.options.map(({ long }) => long).join(' ')}" ;;`);
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_raftplane() {',
    '  local words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" -eq 1 ] && words="${names.join(' ')}"`,
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _raftplane raftplane',
  ].join('\n');
}
