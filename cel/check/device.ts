import { estimateCost, type SizeAt } from '../estimate/estimator.js';
import { check, type Declarations } from './checker.js';
import { dyn, map, object, typeOf, type Type } from './types.js';

const string = typeOf('string');
const byDomain = (value: Type): Type => map(string, map(string, value));

/** A device in selectors of claims and classes (dynamic resource allocation, `CELDeviceSelector`). */
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

/** `CELSelectorExpressionMaxCost` of the reference. */
const costMax = 1_000_000;
const [driverMax, domainMax, nameMax, valueMax, descriptionsMax] = [63, 63, 32, 64, 32] as const;

/** The maximum size of a device: 32 attributes and capacities of limited length, as in `dynamic-resource-allocation/cel`. */
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
  // All attributes have the same size; that of capacities is unknown.
  return part === 'attributes' ? valueMax : inner === '@values' ? 0 : null;
}

export type SelectorRefusal =
  | { readonly reason: 'invalid'; /** The reference's text. */ readonly text: string }
  | { readonly reason: 'costly' };

/** Null for an expression that can select devices. */
export function refusedSelector(expression: string): SelectorRefusal | null {
  const checked = check(expression, declarations);
  if (!checked.ok) return { reason: 'invalid', text: `${checked.stage} failed: ${checked.message}` };
  const { name } = checked.type;
  if (name !== 'bool' && name !== 'dyn') return { reason: 'invalid', text: `must evaluate to bool or the unknown type, not ${name}` };
  return estimateCost(checked.tree, checked.types, sizeOfDevice) > costMax ? { reason: 'costly' } : null;
}
