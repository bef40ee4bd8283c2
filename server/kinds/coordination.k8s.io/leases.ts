import type { Lease } from '../../../api/types/coordination/v1.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { nonNegative, positive } from '../../registry/validation/values.js';
import type { Draft, Kind } from '../kind.js';
import { validateLeaseStrategy } from './leaseStrategy.js';

const specPath = Path.of('spec');
/** Members of coordinated leader election, which is off: they are dropped unless the object already has them. */
const gated = ['strategy', 'preferredHolder'] as const;

function dropGated({ spec }: Draft<Lease>, old: Draft<Lease> | null): void {
  if (spec === undefined || gated.some((member) => old?.spec?.[member] !== undefined)) return;
  for (const member of gated) delete spec[member];
}

function validate({ spec = {} }: Draft<Lease>): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder = '' } = spec;
  return [
    ...(leaseDurationSeconds === undefined ? [] : positive(leaseDurationSeconds, specPath.child('leaseDurationSeconds'))),
    ...nonNegative(leaseTransitions, specPath.child('leaseTransitions')),
    ...(strategy === undefined ? [] : validateLeaseStrategy(strategy, specPath.child('strategy'))),
    ...(preferredHolder !== '' && (strategy ?? '') === ''
      ? [forbidden(specPath.child('preferredHolder'), 'may only be specified if `strategy` is defined')]
      : []),
  ];
}

export const leases: Kind<Draft<Lease>> = {
  name: 'leases.coordination.k8s.io',
  metadata: { anyFinalizers: true },
  prepare: dropGated,
  validate,
  update: {
    creates: true,
    unconditional: false,
    review: ['objectMetaUpdate', validate],
  },
  cells: { Holder: ({ spec }) => spec?.holderIdentity ?? '' },
};
