import { formatDuration } from '../../program/flags/duration.js';
import type { Flag, FlagTable } from '../../program/flags/flag.js';
import { neutralOptionName } from '../../api/catalogue/vocabulary.js';

export function optionsPage(table: FlagTable): string {
  const groups = [...new Set(Object.values(table).map(({ group }) => group))];
  const parts = groups.map((group) => {
    const rows = Object.entries(table).filter(([, flag]) => flag.group === group);
    return `## ${group}\n\n| Option | Value | Default | What it does |\n|---|---|---|---|\n${rows.map(([name, flag]) => row(name, flag)).join('')}`;
  });
  return `# Options of the API server

Made by \`npm run generate\` from the tables in \`server/options\`, which \`apiserver --help\` prints as well. Durations are written \`300ms\`, \`10s\` or \`1h30m\`; lists with commas
between; an option of the kind bool is on when it is named. Names with \`etcd\`, \`kubelet\` and the like have a second, neutral spelling.

${parts.join('\n')}`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function row(name: string, flag: Flag): string {
  const neutral = neutralOptionName(name);
  const also = neutral === null ? '' : ` (also \`--${neutral}\`)`;
  const kind = flag.value ?? flag.kind;
  const choice = flag.oneOf === undefined ? '' : ` One of: ${flag.oneOf.join(', ')}.`;
  const state = flag.withoutEffect ? ' Accepted, without effect.' : '';
  return `| \`--${name}\`${also} | ${cell(kind)} | ${cell(defaultText(flag))} | ${cell(`${flag.help}${choice}${state}`)} |\n`;
}

function defaultText({ kind, default: value }: Flag): string {
  if (value === null || value === '') return '';
  if (kind === 'duration') return value === 0 ? '0s' : formatDuration(value as number);
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? '' : String(value);
}
