import type { Json } from '../../codecs/value.js';
import { Findings } from './findings.js';

/** A check of a value; `old` is its previous value, if known. */
export interface Condition {
  check(value: Json, findings: Findings, old: Json | undefined): void;
}

/**
 * Conditions made of others. Alternatives are tried without messages, and the reported one is evaluated again: the work grows with the nesting depth, not
 * exponentially with its branches.
 */
export interface Conditions {
  readonly anyOf: readonly Condition[];
  readonly oneOf: readonly Condition[];
  readonly allOf: readonly Condition[];
  readonly not: Condition | null;
}

export function checkConditions({ anyOf, oneOf, allOf, not }: Conditions, value: Json, findings: Findings, old: Json | undefined): void {
  if (anyOf.length > 0) checkAnyOf(anyOf, value, findings, old);
  if (oneOf.length > 0) checkOneOf(oneOf, value, findings, old);
  if (allOf.length > 0) checkAllOf(allOf, value, findings, old);
  if (not !== null && tried(not, value, old).total === 0) findings.add('condition', null, 'must not validate the schema (not)');
}

/** Only counts; the reported alternative is evaluated once more. */
function tried(check: Condition, value: Json, old: Json | undefined): Findings {
  const trial = Findings.counting();
  check.check(value, trial, old);
  return trial;
}

/** The first alternative with the most checks, if all fail. */
interface Best {
  readonly check: Condition;
  readonly total: number;
  readonly checks: number;
}

/** Makes messages only if requested: a second evaluation at every level would double the work at each. */
function report(best: Best | null, value: Json, findings: Findings, old: Json | undefined): void {
  if (best === null) return;
  if (!findings.quiet) return best.check.check(value, findings, old);
  findings.total += best.total;
  findings.checks += best.checks;
}

function checkAnyOf(alternatives: readonly Condition[], value: Json, findings: Findings, old: Json | undefined): void {
  let best: Best | null = null;
  for (const check of alternatives) {
    const { total, checks } = tried(check, value, old);
    if (total === 0) {
      findings.checks += checks;
      return;
    }
    if (best === null || checks > best.checks) best = { check, total, checks };
  }
  findings.add('condition', null, 'must validate at least one schema (anyOf)');
  report(best, value, findings, old);
}

function checkOneOf(alternatives: readonly Condition[], value: Json, findings: Findings, old: Json | undefined): void {
  let best: Best | null = null;
  let [valid, first] = [0, 0];
  for (const check of alternatives) {
    const { total, checks } = tried(check, value, old);
    if (total === 0 && valid++ === 0) first = checks;
    if (total > 0 && valid === 0 && (best === null || checks > best.checks)) best = { check, total, checks };
  }
  if (valid === 1) {
    findings.checks += first;
    return;
  }
  findings.add(
    'condition',
    null,
    `must validate one and only one schema (oneOf). Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`,
  );
  if (valid === 0) report(best, value, findings, old);
}

function checkAllOf(parts: readonly Condition[], value: Json, findings: Findings, old: Json | undefined): void {
  let valid = 0;
  for (const check of parts) {
    const before = findings.total;
    check.check(value, findings, old);
    if (findings.total === before) valid++;
  }
  if (valid < parts.length)
    findings.add('condition', null, `must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
