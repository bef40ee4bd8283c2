import fs from 'node:fs';
import path from 'node:path';
import type { Finding, Result } from './campaign.js';
import type { Sequence } from './area.js';

/** Writes a file with both answers for each finding into `folder`, by kind of difference. */
export class Report {
  readonly #folder: string;
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the file's name. */
  add({ origin, difference, sequence, answers, count }: Finding): string {
    const { rule, at, want, got, request } = difference;
    const folder = path.join(this.#folder, origin.area.name, rule.group);
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${String(++this.#count).padStart(3, '0')}.json`);
    const steps = sequence.steps.map((step, index) => ({ step, theirs: answers.theirs[index], ours: answers.ours[index] }));
    const reported = {
      rule: rule.key,
      difference: { request, at, theirs: want, ours: got },
      case: `${origin.seed}:${origin.index}`,
      cases: count,
      sequence,
      steps,
    };
    fs.writeFileSync(file, `${JSON.stringify(reported, null, 2)}\n`);
    return file;
  }
}

/** Reads the sequence of a report's file. */
export const readSequence = (file: string): Sequence =>
  (JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly sequence: Sequence }).sequence;

const valueCharactersMax = 300;
const brief = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, valueCharactersMax);

/** A finding in three lines. */
export const findingLines = ({ difference, count }: Finding, file: string): string =>
  [
    `${file}  (${count} ${count === 1 ? 'case' : 'cases'})`,
    `  ${difference.request}  ${difference.at}`,
    `  theirs ${brief(difference.want)}`,
    `  ours   ${brief(difference.got)}`,
  ].join('\n');

/** A line for each area. */
export function summary(results: readonly Result[]): string {
  const rows = results.map(({ area, cases, requests, findings, known, notAgain }) =>
    [area.name, cases, requests, findings.length, known, notAgain].map(String),
  );
  const all = [['area', 'cases', 'requests', 'rules that differ', 'known', 'not seen again'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
