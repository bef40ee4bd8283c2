import { check, type Declarations } from './checker.js';
import { dyn, map, object, typeOf, type Type } from './types.js';

const string = typeOf('string');
/** By the domain of whoever says it, then by name. */
const byDomain = (value: Type): Type => map(string, map(string, value));

/** A device as selectors of claims and classes see it (dynamic resource allocation, `CELDeviceSelector`). */
const declarations: Declarations = {
  variables: {
    device: object('kubernetes.DRADevice', {
      driver: string,
      attributes: byDomain(dyn),
      capacity: byDomain(typeOf('kubernetes.Quantity')),
      allowMultipleAllocations: typeOf('bool'),
    }),
  },
};

/** Why an expression cannot select devices, as the reference prints it; null when it can. */
export function refusedSelector(expression: string): string | null {
  const checked = check(expression, declarations);
  if (!checked.ok) return `compilation failed: ${checked.message}`;
  const { name } = checked.type;
  return name === 'bool' || name === 'dyn' || name === '?' ? null : `must evaluate to bool or the unknown type, not ${name}`;
}
