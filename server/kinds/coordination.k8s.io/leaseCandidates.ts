import type { LeaseCandidate, LeaseCandidateSpec } from '../../../api/types/coordination/v1beta1.js';
import { isBefore, isVersion } from '../../../cel/eval/functions/semvers.js';
import { textAt, type MemberOf } from '../../../api/json/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { configMapKeyProblems } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { oldestEmulationVersion, validateLeaseStrategy } from './leaseStrategy.js';

const spec = Path.of('spec');
const versionText = 'must be a valid semantic version';
const zeroVersion = '0.0.0';

/** A candidate's versions determine the leader. */
function validate(candidate: Draft<LeaseCandidate>): FieldError[] {
  const specified = (member: MemberOf<LeaseCandidateSpec>): string => textAt(candidate, 'spec', member);
  const [emulationVersion, strategy] = [specified('emulationVersion'), specified('strategy')];
  return [
    ...(specified('leaseName') === '' ? [required(spec.child('leaseName'), '')] : []),
    ...(emulationVersion === '' || isVersion(emulationVersion)
      ? []
      : [invalid(spec.child('emulationVersion'), emulationVersion, versionText)]),
    ...validateBinaryVersion(specified('binaryVersion'), emulationVersion),
    ...(strategy === '' ? [required(spec.child('strategy'), '')] : validateStrategy(strategy, emulationVersion)),
  ];
}

function validateBinaryVersion(version: string, emulated: string): FieldError[] {
  const path = spec.child('binaryVersion');
  if (version === '') return [required(path, '')];
  const known = isVersion(version);
  return [
    ...(known ? [] : [invalid(path, version, versionText)]),
    // An invalid version counts as the lowest.
    ...(isBefore(known ? version : zeroVersion, emulated)
      ? [invalid(path, version, 'must be greater than or equal to `emulationVersion`')]
      : []),
  ];
}

function validateStrategy(strategy: string, emulated: string): FieldError[] {
  // The part after the plus sign does not distinguish versions.
  const isUnknown = !isVersion(emulated) || emulated.split('+')[0] === zeroVersion;
  return [
    ...(strategy === oldestEmulationVersion && isUnknown
      ? [required(spec.child('emulationVersion'), `must be specified when \`strategy\` is '${oldestEmulationVersion}'`)]
      : []),
    ...validateLeaseStrategy(strategy, spec.child('strategy')),
  ];
}

export const leaseCandidates: Kind<Draft<LeaseCandidate>> = {
  name: 'leasecandidates.coordination.k8s.io',
  metadata: { anyFinalizers: true, name: (name) => configMapKeyProblems(name) },
  validate,
  update: {
    unconditional: false,
    creates: true,
    review: ['objectMetaUpdate', validate, immutable('spec.leaseName')],
  },
};
