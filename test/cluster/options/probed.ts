import fs from 'node:fs';
import path from 'node:path';
import { apiServerFlags } from '../../../server/options/flags.js';
import { controllerManagerFlags } from '../../../controllers/options/flags.js';
import { neutralOptionName } from '../../../api/catalogue/vocabulary.js';
import { packageRoot } from '../../fixtures/packageRoot.js';

export type ProbedProgram = 'apiserver' | 'controller-manager';

const tables = { apiserver: apiServerFlags, 'controller-manager': controllerManagerFlags } as const;
const files = { apiserver: 'specified.json', 'controller-manager': 'specifiedManager.json' } as const;

/** Every specified option of a program, under its name here. */
export function specifiedOptions(program: ProbedProgram): readonly string[] {
  const rows = JSON.parse(fs.readFileSync(path.join(packageRoot, 'test/unit/server/options', files[program]), 'utf8')) as [string][];
  const real = new Map(Object.keys(tables[program]).map((name) => [neutralOptionName(name) ?? name, name]));
  return rows.map(([name]) => real.get(name) ?? name);
}

const shown: Record<ProbedProgram, Set<string>> = { apiserver: new Set(), 'controller-manager': new Set() };

/** Options with a probe in this run. */
export const probedOptions = (program: ProbedProgram): ReadonlySet<string> => shown[program];

type Probe = (names: string | readonly string[], shows: string, probe: () => Promise<void>) => void;

/** Declares tests of options by their external effects. */
export const probesOf =
  (program: ProbedProgram): Probe =>
  (names, shows, probe) => {
    const all = typeof names === 'string' ? [names] : names;
    for (const name of all) shown[program].add(name);
    it(`${all.map((name) => `--${name}`).join(', ')}: ${shows}`, probe);
  };
