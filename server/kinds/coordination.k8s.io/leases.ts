import type { Lease } from '../../../api/types/coordination/v1.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { nonNegative, positive } from '../../registry/validation/values.js';
import { gate } from '../gated.js';
import type { Draft, Kind } from '../kind.js';
import { validateLeaseStrategy } from './leaseStrategy.js';

const specPath = Path.of('spec');

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
  gated: [gate('CoordinatedLeaderElection', 'spec.strategy', 'spec.preferredHolder')],
  validate,
  update: {
    creates: true,
    unconditional: false,
    review: ['objectMetaUpdate', validate],
  },
  cells: { Holder: ({ spec }) => spec?.holderIdentity ?? '' },
};
