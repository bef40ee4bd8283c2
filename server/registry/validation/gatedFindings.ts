import type { EnabledFeatures, FieldGate } from '../../../program/features/gates.js';
import type { FieldError } from './field.js';

/**
 * A check marks a finding with its feature; `registry/writes.ts` drops findings that do not apply. The reference checks whether the old object uses each
 * feature; here the same rules decide: an object that breaks the rules without the feature uses it.
 */

export const whileOn = (feature: FieldGate, findings: readonly FieldError[]): FieldError[] =>
  findings.map((finding) => ({ ...finding, gate: { feature, standsWhile: 'on' } }));

/** Findings of a rule that a feature lifts. */
export const whileOff = (feature: FieldGate, findings: readonly FieldError[]): FieldError[] =>
  findings.map((finding) => ({ ...finding, gate: { feature, standsWhile: 'off' } }));

/** `before` returns what the same rules find about the old object. */
export function standing(found: FieldError[], enabled: EnabledFeatures, before: (() => readonly FieldError[]) | null): FieldError[] {
  if (found.every(({ gate }) => gate === undefined)) return found;
  let used: ReadonlySet<FieldGate> | null = null;
  const isUsed = (feature: FieldGate): boolean => {
    used ??= new Set((before?.() ?? []).flatMap(({ gate }) => (gate?.standsWhile === 'off' ? [gate.feature] : [])));
    return used.has(feature);
  };
  return found.filter(({ gate }) => gate === undefined || (enabled(gate.feature) || isUsed(gate.feature)) === (gate.standsWhile === 'on'));
}
