import { estimateCost, type SizeAt } from '../estimate/estimator.js';
import { check, type Declarations } from './checker.js';
import { dyn, map, object, typeOf, type Type } from './types.js';

const string = typeOf('string');
/** By the domain of whoever says it, then by name. */
const byDomain = (value: Type): Type => map(string, map(string, value));

/** A device as selectors of claims and classes see it (dynamic resource allocation, `CELDeviceSelector`). */
const declarations: Declarations = {
  libraries: ['bindings'],
  variables: {
    device: object('kubernetes.DRADevice', {
      driver: string,
      attributes: byDomain(dyn),
      capacity: byDomain(typeOf('kubernetes.Quantity')),
      allowMultipleAllocations: typeOf('bool'),
    }),
  },
};

/** The most that choosing a device may cost (`CELSelectorExpressionMaxCost`). */
const costMax = 1_000_000;
const [driverMax, domainMax, nameMax, valueMax, descriptionsMax] = [63, 63, 32, 64, 32] as const;

/** How large what is known of a device can be: as many as 32 attributes and capacities, of limited length. Sizes of `dynamic-resource-allocation/cel`. */
const sizeOfDevice: SizeAt = ([variable, part, ...steps]) => {
  if (variable !== 'device') return null;
  const max =
    part === 'driver' && steps.length === 0 ? driverMax : part === 'attributes' || part === 'capacity' ? sizeWithin(part, steps) : null;
  return max === null ? null : { min: 0, max };
};

function sizeWithin(part: 'attributes' | 'capacity', [outer, inner, ...below]: readonly string[]): number | null {
  if (outer === undefined) return descriptionsMax;
  if (outer === '@keys') return inner === undefined ? domainMax : null;
  if (outer !== '@values') return null;
  if (inner === undefined) return descriptionsMax;
  if (below.length > 0) return null;
  if (inner === '@keys') return nameMax;
  // Attributes are alike whatever they are called; of an amount by name nothing is known.
  return part === 'attributes' ? valueMax : inner === '@values' ? 0 : null;
}

/** Why an expression cannot select devices. */
export type SelectorRefusal =
  { readonly reason: 'invalid'; /** As the reference prints it. */ readonly text: string } | { readonly reason: 'costly' };

/** Null for an expression that can select devices. */
export function refusedSelector(expression: string): SelectorRefusal | null {
  const checked = check(expression, declarations);
  if (!checked.ok) return { reason: 'invalid', text: `${checked.stage} failed: ${checked.message}` };
  const { name } = checked.type;
  if (name !== 'bool' && name !== 'dyn' && name !== '?')
    return { reason: 'invalid', text: `must evaluate to bool or the unknown type, not ${name}` };
  return estimateCost(checked.tree, checked.types, sizeOfDevice) > costMax ? { reason: 'costly' } : null;
}
