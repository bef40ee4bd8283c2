import fs from 'node:fs';
import path from 'node:path';
import { apiServerFlags } from '../../../server/options/flags.js';
import { controllerManagerFlags } from '../../../controllers/options/flags.js';
import { neutralOptionName } from '../../../api/catalogue/vocabulary.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { asserted, type ProbedProgram } from './asserted.js';

const tables = { apiserver: apiServerFlags, 'controller-manager': controllerManagerFlags } as const;
const files = { apiserver: 'specified.json', 'controller-manager': 'specifiedManager.json' } as const;

/** Every specified option of a program, under its name here. */
export function specifiedOptions(program: ProbedProgram): readonly string[] {
  const rows = JSON.parse(fs.readFileSync(path.join(packageRoot, 'test/unit/server/options', files[program]), 'utf8')) as [string][];
  const real = new Map(Object.keys(tables[program]).map((name) => [neutralOptionName(name) ?? name, name]));
  return rows.map(([name]) => real.get(name) ?? name);
}

const rowsOf = (program: ProbedProgram): readonly (readonly [options: readonly string[], shows: string, suite: string])[] =>
  Object.entries(asserted[program]).flatMap(([suite, rows]) =>
    rows.map(([options, shows]) => [options.split(', '), shows, suite] as const),
  );

/** Options in the table of assertions. */
export const assertedOptions = (program: ProbedProgram): ReadonlySet<string> => new Set(rowsOf(program).flatMap(([options]) => options));

const probed: Readonly<Record<ProbedProgram, string[]>> = { apiserver: [], 'controller-manager': [] };

/** Rows of the table by their first option that have no test in this run, or more than one. */
export const unshownRows = (program: ProbedProgram): readonly string[] =>
  rowsOf(program).flatMap(([[first = '']]) => (probed[program].filter((name) => name === first).length === 1 ? [] : [first]));

/** Declares the test of a row of the table, by the row's first option. */
export const probesOf =
  (program: ProbedProgram) =>
  (option: string, probe: () => Promise<void>): void => {
    const [names, shows, suite] = rowsOf(program).find(([[first]]) => first === option) ?? [];
    if (names === undefined) throw new Error(`no row of the table begins with ${option}`);
    const test = it(`${names.map((name) => `--${name}`).join(', ')}: ${shows}`, probe);
    if (test.parent?.title !== suite) throw new Error(`the row of ${option} is below ${JSON.stringify(suite)}`);
    probed[program].push(option);
  };
