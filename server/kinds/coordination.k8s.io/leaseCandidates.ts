import type { ApiObject } from '../../api/object.js';
import { isBefore, isVersion } from '../../cel/eval/functions/semvers.js';
import { textAt } from '../../registry/members.js';
import { invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { configMapKeyComplaints } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Kind } from '../kind.js';
import { OLDEST_EMULATION_VERSION, validateLeaseStrategy } from './leaseStrategy.js';

const SPEC = Path.of('spec');
const VERSION_TEXT = 'must be a valid semantic version';
const ZERO_VERSION = '0.0.0';

/** Which versions a candidate speaks decides who leads, so that they have to be there and make sense together. */
function validate(candidate: ApiObject): FieldError[] {
  const specified = (member: string): string => textAt(candidate, 'spec', member);
  const [emulationVersion, strategy] = [specified('emulationVersion'), specified('strategy')];
  return [
    ...(specified('leaseName') === '' ? [required(SPEC.child('leaseName'), '')] : []),
    ...(emulationVersion === '' || isVersion(emulationVersion)
      ? []
      : [invalid(SPEC.child('emulationVersion'), emulationVersion, VERSION_TEXT)]),
    ...validateBinaryVersion(specified('binaryVersion'), emulationVersion),
    ...(strategy === '' ? [required(SPEC.child('strategy'), '')] : validateStrategy(strategy, emulationVersion)),
  ];
}

function validateBinaryVersion(version: string, emulated: string): FieldError[] {
  const path = SPEC.child('binaryVersion');
  if (version === '') return [required(path, '')];
  if (!isVersion(version)) return [invalid(path, version, VERSION_TEXT)];
  return isBefore(version, emulated) ? [invalid(path, version, 'must be greater than or equal to `emulationVersion`')] : [];
}

function validateStrategy(strategy: string, emulated: string): FieldError[] {
  const isUnknown = !isVersion(emulated) || emulated === ZERO_VERSION;
  return [
    ...(strategy === OLDEST_EMULATION_VERSION && isUnknown
      ? [required(SPEC.child('emulationVersion'), `must be specified when \`strategy\` is '${OLDEST_EMULATION_VERSION}'`)]
      : []),
    ...validateLeaseStrategy(strategy, SPEC.child('strategy')),
  ];
}

const kept = immutable('spec.leaseName');

export const leaseCandidates: Kind = {
  name: 'leasecandidates.coordination.k8s.io',
  metadata: { anyFinalizers: true, name: (name) => configMapKeyComplaints(name) },
  validate,
  update: {
    unconditional: false,
    creates: true,
    review: (candidate, old, metadata) => [...metadata.update(), ...validate(candidate), ...kept(candidate, old)],
  },
};
