import type { Command } from 'commander';
import { CommandRefused } from './control.js';

/** Programs of the default cluster, for commands about one of them. */
const members = `raftplane status --json 2>/dev/null | sed -n 's/^ *"name": "\\(.*\\)",*$/\\1/p'`;

const scripts: Readonly<Record<string, (root: Command) => readonly string[]>> = {
  bash: inBash,
  // zsh's emulation of bash completion treats the words the same.
  zsh: (root) => ['autoload -U +X bashcompinit && bashcompinit', ...inBash(root)],
  fish: inFish,
};

/** Completes commands, options and names of members. Throws for an unsupported shell. */
export function completionScript(root: Command, shell: string): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw new CommandRefused(`there are scripts for ${Object.keys(scripts).join(', ')}, and none for ${shell}`);
  return script(root).join('\n');
}

const optionsOf = (command: Command): readonly string[] => command.options.map(({ long }) => long).filter((long) => long !== undefined);
const asksForMember = (command: Command): boolean => command.registeredArguments.some((argument) => argument.name() === 'member');

function inBash(root: Command): readonly string[] {
  const cases = root.commands.map((command) => `    ${command.name()}) words="${optionsOf(command).join(' ')}" ;;`);
  const withMember = root.commands.filter(asksForMember).map((command) => command.name());
  return [
    '_raftplane() {',
    '  local words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac',
    ...(withMember.length === 0
      ? []
      : [
          '  case "${COMP_WORDS[1]}" in',
          `    ${withMember.join('|')}) case "\${COMP_WORDS[COMP_CWORD]}" in -*) ;; *) words="$(${members})" ;; esac ;;`,
          '  esac',
        ]),
    `  [ "$COMP_CWORD" -eq 1 ] && words="${root.commands.map((command) => command.name()).join(' ')}"`,
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _raftplane raftplane',
  ];
}

function inFish(root: Command): readonly string[] {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
  return [
    'complete -c raftplane -f',
    ...root.commands.flatMap((command) => {
      const here = `complete -c raftplane -n '__fish_seen_subcommand_from ${command.name()}'`;
      return [
        `complete -c raftplane -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
        ...command.options.map(({ long, description }) => `${here} -l ${(long ?? '').replace(/^--/, '')} -d ${quoted(description)}`),
        ...(asksForMember(command) ? [`${here} -a ${quoted(`(${members})`)}`] : []),
      ];
    }),
  ];
}
