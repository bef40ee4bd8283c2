import type { Json } from '../../codecs/value.js';
import type { Findings } from './findings.js';
import type { ValueCheck } from './values.js';

/** Conditions that are made of others. Every alternative sees the value once, however deep they are nested. */
export interface Conditions {
  readonly anyOf: readonly ValueCheck[];
  readonly oneOf: readonly ValueCheck[];
  readonly allOf: readonly ValueCheck[];
  readonly not: ValueCheck | null;
}

export function checkConditions({ anyOf, oneOf, allOf, not }: Conditions, value: Json, findings: Findings, old: Json | undefined): void {
  if (anyOf.length > 0) checkAnyOf(anyOf, value, findings, old);
  if (oneOf.length > 0) checkOneOf(oneOf, value, findings, old);
  if (allOf.length > 0) checkAllOf(allOf, value, findings, old);
  if (not !== null && tried(not, value, findings, old).total === 0) findings.add('condition', null, 'must not validate the schema (not)');
}

function tried(check: ValueCheck, value: Json, findings: Findings, old: Json | undefined): Findings {
  const trial = findings.trial();
  check.check(value, trial, old);
  return trial;
}

/** Of alternatives that all fail, the first with the most checks. */
const better = (best: Findings | null, trial: Findings): Findings => (best === null || trial.checks > best.checks ? trial : best);

function checkAnyOf(checks: readonly ValueCheck[], value: Json, findings: Findings, old: Json | undefined): void {
  let best: Findings | null = null;
  for (const check of checks) {
    const trial = tried(check, value, findings, old);
    if (trial.total === 0) return findings.merge(trial);
    best = better(best, trial);
  }
  findings.add('condition', null, 'must validate at least one schema (anyOf)');
  if (best !== null) findings.merge(best);
}

function checkOneOf(checks: readonly ValueCheck[], value: Json, findings: Findings, old: Json | undefined): void {
  let best: Findings | null = null;
  let first: Findings | null = null;
  let valid = 0;
  for (const check of checks) {
    const trial = tried(check, value, findings, old);
    if (trial.total === 0) {
      valid++;
      first ??= trial;
    } else if (valid === 0) best = better(best, trial);
  }
  if (valid === 1 && first !== null) return findings.merge(first);
  findings.add('condition', null, `must validate one and only one schema (oneOf). Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`);
  if (valid === 0 && best !== null) findings.merge(best);
}

function checkAllOf(checks: readonly ValueCheck[], value: Json, findings: Findings, old: Json | undefined): void {
  let valid = 0;
  for (const check of checks) {
    const trial = tried(check, value, findings, old);
    if (trial.total === 0) valid++;
    findings.merge(trial);
  }
  if (valid < checks.length) findings.add('condition', null, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
