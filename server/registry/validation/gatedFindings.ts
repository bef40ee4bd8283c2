import type { EnabledFeatures, FieldGate } from '../../features/fieldGates.js';
import type { FieldError } from './field.js';

/**
 * Rules that come or go with a feature. Who checks says of a finding which feature it belongs to; the life cycle of objects (`registry/writes.ts`) drops what does not
 * stand. So a rule needs not know what is switched on, and an object that was stored while the feature was the other way can still be changed: what the reference
 * asks of the old object for each feature in turn is asked here once, of the same rules.
 */

/** Findings of a rule that a feature brings. `forgives`: as in `FindingGate`. */
export const whileOn = (feature: FieldGate, findings: readonly FieldError[], forgives: 'value' | 'any' = 'any'): FieldError[] =>
  findings.map((finding) => ({ ...finding, gate: { feature, standsWhile: 'on', forgives } }));

/** Findings of a rule that a feature lifts. */
export const whileOff = (feature: FieldGate, findings: readonly FieldError[]): FieldError[] =>
  findings.map((finding) => ({ ...finding, gate: { feature, standsWhile: 'off', forgives: 'any' } }));

/** Drops the findings that do not stand. `before`: what the same rules find about the object as it was, asked only where something hangs on it. Pure. */
export function standing(
  found: readonly FieldError[],
  enabled: EnabledFeatures,
  before: (() => readonly FieldError[]) | null,
): FieldError[] {
  if (found.every(({ gate }) => gate === undefined)) return [...found];
  const inForce = found.filter(({ gate }) => gate === undefined || enabled(gate.feature) === (gate.standsWhile === 'on'));
  if (before === null || inForce.every(({ gate }) => gate === undefined)) return inForce;
  const old = before();
  return inForce.filter(
    (finding) =>
      finding.gate === undefined ||
      !old.some(
        ({ gate, message }) => gate?.feature === finding.gate?.feature && (finding.gate?.forgives === 'any' || message === finding.message),
      ),
  );
}
