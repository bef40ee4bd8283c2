import type { ApiObject } from '../../api/object.js';
import { objectAt } from '../../registry/defaulting.js';
import { textAt } from '../../registry/members.js';
import { Path, type FieldError } from '../../registry/validation/field.js';
import { nonNegative, positive } from '../../registry/validation/values.js';
import type { Kind } from '../kind.js';

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

export const leases: Kind = {
  name: 'leases.coordination.k8s.io',
  metadata: { anyFinalizers: true },
  validate,
  create: {
    prepare(lease) {
      dropGated(lease, null);
    },
  },
  update: {
    creates: true,
    unconditional: false,
    prepare(lease, old) {
      dropGated(lease, old);
    },
    review: (lease, _old, metadata) => [...metadata.update(), ...validate(lease)],
  },
  cells: { Holder: (object) => textAt(object, 'spec', 'holderIdentity') },
};
