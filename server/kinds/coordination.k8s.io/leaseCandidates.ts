import type * as v1beta1 from '../../../api/types/coordination/v1beta1.js';
import { isBefore, isVersion } from '../../../cel/eval/functions/semvers.js';
import {
  all,
  configMapKeyProblems,
  invalid,
  members,
  missing,
  nonZero,
  objectRules,
  required as demanded,
  whole,
  type Check,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { immutable } from '../immutable.js';
import { oldestEmulationVersion, validateLeaseStrategy } from './leaseStrategy.js';

type Spec = Writable<v1beta1.LeaseCandidateSpec>;

const zeroVersion = '0.0.0';

const version: Check<string> = (value, path) => (isVersion(value) ? [] : [invalid(path, value, 'must be a valid semantic version')]);

/** An invalid version counts as the lowest. */
const notBelowEmulated = (value: string, path: Path, { emulationVersion = '' }: Spec): FieldError[] =>
  isBefore(isVersion(value) ? value : zeroVersion, emulationVersion)
    ? [invalid(path, value, 'must be greater than or equal to `emulationVersion`')]
    : [];

/** The part of a version after the plus sign does not distinguish versions. */
const isUnknown = (emulated: string): boolean => !isVersion(emulated) || emulated.split('+')[0] === zeroVersion;

function needsEmulated(spec: Spec, path: Path): FieldError[] {
  return spec.strategy === oldestEmulationVersion && isUnknown(spec.emulationVersion ?? '')
    ? [missing(path.child('emulationVersion'), `must be specified when \`strategy\` is '${oldestEmulationVersion}'`)]
    : [];
}

/** A candidate's versions determine the leader. */
const validate = objectRules<v1beta1.LeaseCandidate>({
  spec: all(
    members<v1beta1.LeaseCandidateSpec>({
      leaseName: demanded(),
      emulationVersion: nonZero(version),
      binaryVersion: demanded(version, notBelowEmulated),
    }),
    whole<v1beta1.LeaseCandidateSpec>(needsEmulated),
    members<v1beta1.LeaseCandidateSpec>({ strategy: demanded(validateLeaseStrategy) }),
  ),
});

export const leaseCandidates: Kind<Draft<v1beta1.LeaseCandidate>> = {
  name: 'leasecandidates.coordination.k8s.io',
  metadata: { anyFinalizers: true, name: (name) => configMapKeyProblems(name) },
  validate,
  update: {
    unconditional: false,
    creates: true,
    review: ['objectMetaUpdate', validate, immutable('spec.leaseName')],
  },
};
