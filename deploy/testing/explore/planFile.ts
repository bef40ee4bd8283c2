import fs from 'node:fs';
import type { Plan } from './perturbation.js';

const form = 'raftplane-plan/1';

export function writePlan(file: string, perturbation: Plan): void {
  fs.writeFileSync(file, `${JSON.stringify({ form, perturbation }, null, 2)}\n`);
}

/** Throws for a file that holds no plan. */
export function readPlan(file: string): Plan {
  const { form: found, perturbation } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
    readonly form?: string;
    readonly perturbation?: Plan;
  };
  if (found !== form || perturbation === undefined) throw new Error(`${file} is no plan of the form ${form}`);
  return perturbation;
}
