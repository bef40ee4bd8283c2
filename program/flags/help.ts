import { neutralOptionName, neutralWord } from '../../api/catalogue/vocabulary.js';
import { formatDuration } from './duration.js';
import type { Flag, FlagTable } from './flag.js';

export interface HelpOptions {
  readonly program: string;
  readonly about: string;
  readonly examples: readonly { readonly command: string; readonly about: string }[];
  readonly width: number;
}

const indent = 8;
const columnsMin = 60;
const columnsMax = 140;

/** Returns the `--help` text: options under headings, in the table's order. */
export function helpText(table: FlagTable, { program, about, examples, width }: HelpOptions): string {
  const columns = Math.min(Math.max(width, columnsMin), columnsMax);
  const lines = [...wrap(about, columns, 0), '', 'Usage:', `  ${program} [flags]`, '', 'Examples:'];
  for (const example of examples) lines.push(...wrap(`# ${example.about}`, columns, 2), `  ${example.command}`, '');
  for (const [group, flags] of groupsOf(table)) {
    lines.push(`${group}:`, '');
    for (const [name, flag] of flags) lines.push(`  ${heading(name, flag)}`, ...wrap(describe(name, flag), columns, indent));
    lines.push('');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function groupsOf(table: FlagTable): Map<string, [string, Flag][]> {
  const groups = new Map<string, [string, Flag][]>();
  for (const entry of Object.entries(table)) {
    const group = groups.get(entry[1].group);
    if (group === undefined) groups.set(entry[1].group, [entry]);
    else group.push(entry);
  }
  return groups;
}

const kindWords: Readonly<Record<Flag['kind'], string>> = {
  bool: '',
  int: 'int',
  float: 'float',
  string: 'string',
  duration: 'duration',
  quantity: 'quantity',
  strings: 'strings',
  repeated: 'string',
  map: 'key=value,...',
  gates: 'key=value,...',
  version: 'version[=true]',
};

function heading(name: string, flag: Flag): string {
  const word = flag.value ?? kindWords[flag.kind];
  return `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${word === '' ? '' : ` ${word}`}`;
}

function describe(name: string, flag: Flag): string {
  const parts = [flag.help];
  if (flag.oneOf !== undefined) parts.push(`One of: ${flag.oneOf.join(', ')}.`);
  const shown = defaultText(flag);
  if (shown !== null) parts.push(`(default ${shown})`);
  const neutral = neutralOptionName(name);
  if (neutral !== null) parts.push(`(also --${neutral})`);
  const synonyms = (flag.oneOf ?? []).map(neutralWord).filter((word) => word !== null);
  if (synonyms.length > 0) parts.push(`(also the value ${synonyms.join(', ')})`);
  if (flag.withoutEffect) parts.push('(accepted, without effect)');
  return parts.join(' ');
}

function defaultText({ kind, default: value }: Flag): string | null {
  if (value === null || value === false || value === '') return null;
  if (kind === 'duration') return value === 0 ? null : formatDuration(value as number);
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(',');
  return typeof value === 'object' ? null : String(value);
}

function wrap(text: string, columns: number, left: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && left + line.length + 1 + word.length > columns) {
      lines.push(' '.repeat(left) + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, ' '.repeat(left) + line];
}
