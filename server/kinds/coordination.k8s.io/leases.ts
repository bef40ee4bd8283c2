import type * as v1 from '../../../api/types/coordination/v1.js';
import {
  forbiddenAs,
  gate,
  members,
  nonNegative,
  nonZero,
  objectRules,
  optional,
  positive,
  whenOwner,
  type Draft,
  type Kind,
  type Writable,
} from '../language.js';
import { validateLeaseStrategy } from './leaseStrategy.js';

const validate = objectRules<v1.Lease>({
  spec: members<v1.LeaseSpec>({
    leaseDurationSeconds: optional(positive),
    leaseTransitions: nonNegative,
    strategy: optional(validateLeaseStrategy),
    preferredHolder: nonZero(
      whenOwner(
        ({ strategy = '' }: Writable<v1.LeaseSpec>) => strategy === '',
        forbiddenAs('may only be specified if `strategy` is defined'),
      ),
    ),
  }),
});

export const leases: Kind<Draft<v1.Lease>> = {
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
