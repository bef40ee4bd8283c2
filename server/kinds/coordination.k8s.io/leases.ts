import type { ApiObject } from '../../api/object.js';
import { objectAt } from '../../registry/defaulting.js';
import type { Strategy } from '../../registry/strategy.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import { nonNegative, positive } from '../../registry/validation/values.js';

const SPEC = Path.of('spec');
/** Members of coordinated leader election, which is off: they are dropped unless the object already has them. */
const GATED = ['strategy', 'preferredHolder'];

function dropGated(lease: ApiObject, old: ApiObject | null): void {
  const spec = objectAt(lease, 'spec');
  const before = old === null ? null : objectAt(old, 'spec');
  if (spec === null || GATED.some((member) => before?.[member] !== undefined)) return;
  for (const member of GATED) delete spec[member];
}

function validate(lease: ApiObject): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions } = objectAt(lease, 'spec') ?? {};
  return [
    ...(leaseDurationSeconds === undefined ? [] : positive(leaseDurationSeconds, SPEC.child('leaseDurationSeconds'))),
    ...nonNegative(leaseTransitions, SPEC.child('leaseTransitions')),
  ];
}

export const leases: Strategy = {
  createsOnUpdate: true,
  unconditionalUpdate: false,
  anyFinalizers: true,
  prepareForCreate(lease) {
    dropGated(lease, null);
  },
  prepareForUpdate(lease, old) {
    dropGated(lease, old);
  },
  validate,
  reviewUpdate: (lease, _old, metadata) => [...metadata.update(), ...validate(lease)],
};
