import type { EnabledFeatures, FieldGate } from '../../../program/features/fieldGates.js';
import type { FieldError } from './field.js';

/**
 * Rules that come or go with a feature. Who checks says of a finding which feature it belongs to; the life cycle of objects (`registry/writes.ts`) drops what does not
 * stand. So a rule needs not know what is switched on. What the reference asks of the old object for each feature in turn (does it use the feature?) is asked here
 * once, of the same rules: an object that breaks the rule of the time without the feature uses it, and for that object the feature is on.
 */

/** Findings of a rule that a feature brings. */
export const whileOn = (feature: FieldGate, findings: readonly FieldError[]): FieldError[] =>
  findings.map((finding) => ({ ...finding, gate: { feature, standsWhile: 'on' } }));

/** Findings of a rule that a feature lifts. */
export const whileOff = (feature: FieldGate, findings: readonly FieldError[]): FieldError[] =>
  findings.map((finding) => ({ ...finding, gate: { feature, standsWhile: 'off' } }));

/** Drops the findings that do not stand. `before`: what the same rules find about the object as it was, asked only where something hangs on it. Pure. */
export function standing(found: FieldError[], enabled: EnabledFeatures, before: (() => readonly FieldError[]) | null): FieldError[] {
  if (found.every(({ gate }) => gate === undefined)) return found;
  let used: ReadonlySet<FieldGate> | null = null;
  const isUsed = (feature: FieldGate): boolean => {
    used ??= new Set((before?.() ?? []).flatMap(({ gate }) => (gate?.standsWhile === 'off' ? [gate.feature] : [])));
    return used.has(feature);
  };
  return found.filter(({ gate }) => gate === undefined || (enabled(gate.feature) || isUsed(gate.feature)) === (gate.standsWhile === 'on'));
}
