import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt } from '../../registry/defaulting.js';
import { sameValue } from '../../registry/equality.js';
import { itemsOf, memberAt, textAt } from '../../registry/members.js';
import { restoreAllButStatus } from '../../registry/statuswrites.js';
import type { MetadataFindings } from '../../registry/strategy.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { invalid, notSupported, Path, tooLong, type FieldError } from '../../registry/validation/field.js';
import { validateAnnotations } from '../../registry/validation/metadata.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { immutable } from '../immutable.js';
import type { Kind } from '../kind.js';
import { validateSignerName } from './signerName.js';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const uidMax = 128;
const secondsMin = 3600;
const daySeconds = 86_400;
const secondsMax = 91 * daySeconds;
/** States in which a request ends. */
const ends = ['Issued', 'Denied', 'Failed'];
/** Who asks, by names and unique ids: a name alone may belong to somebody else tomorrow. */
const parties = ['pod', 'serviceAccount', 'node'];

const specOf = (request: ApiObject): JsonObject => objectAt(request, 'spec') ?? {};
const conditionTypes = (request: ApiObject): string[] =>
  itemsOf(memberAt(request, 'status', 'conditions')).map((each) => textAt(each, 'type'));
const hasEnded = (request: ApiObject): boolean => conditionTypes(request).some((type) => ends.includes(type));

function validate(request: ApiObject): FieldError[] {
  const spec = specOf(request);
  const annotations = objectAt(spec, 'unverifiedUserAnnotations');
  const signer = textAt(spec, 'signerName');
  return [
    ...validateSignerName(signer, specPath.child('signerName')),
    ...(annotations === null
      ? []
      : validateAnnotations(annotations as Readonly<Record<string, string>>, specPath.child('unverifiedUserAnnotations'))),
    ...parties.flatMap((party) => [
      ...dnsSubdomain(textAt(spec, `${party}Name`), specPath.child(`${party}Name`)),
      ...validateUid(textAt(spec, `${party}UID`), specPath.child(`${party}UID`)),
    ]),
    ...validateLifetime(Number(spec['maxExpirationSeconds'] ?? daySeconds), signer, specPath.child('maxExpirationSeconds')),
  ];
}

const validateUid = (uid: string, path: Path): FieldError[] =>
  uid === '' ? [invalid(path, uid, 'must not be empty')] : uid.length > uidMax ? [tooLong(path, uidMax)] : [];

/** The cluster's own signers issue for a day at most. */
function validateLifetime(seconds: number, signer: string, path: Path): FieldError[] {
  const max = /^([^/]*\.)?kubernetes\.io\//.test(signer) ? daySeconds : secondsMax;
  return seconds < secondsMin || seconds > max ? [invalid(path, seconds, `must be in the range [${secondsMin}, ${max}]`)] : [];
}

/** A request ends once, in one way, and then stays as it is. */
function reviewStatus(request: ApiObject, old: ApiObject, metadata: MetadataFindings): FieldError[] {
  const findings = [...metadata.update(), ...validateEnds(request)];
  if (findings.length > 0) return findings;
  const status = objectAt(request, 'status') ?? {};
  if (hasEnded(old))
    return sameValue(status, old['status'] ?? {})
      ? []
      : [invalid(statusPath, status, 'immutable after PodCertificateRequest is issued, denied, or failed')];
  const refused = conditionTypes(request).some((type) => type === 'Denied' || type === 'Failed');
  const others = Object.keys(status).filter((member) => member !== 'conditions');
  return refused && others.length > 0
    ? [invalid(statusPath, status, 'non-condition status fields must be empty when denying or failing the PodCertificateRequest')]
    : [];
}

function validateEnds(request: ApiObject): FieldError[] {
  const conditions = itemsOf(memberAt(request, 'status', 'conditions'));
  const path = statusPath.child('conditions');
  return [
    ...conditions.flatMap((condition, position) => {
      const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
      const at = path.index(position);
      if (!ends.includes(type)) return [notSupported(at.child('type'), type, ends)];
      return [
        ...(position > 0
          ? [invalid(at.child('type'), type, 'There may be at most one condition with type "Issued", "Denied", or "Failed"')]
          : []),
        ...(status === 'True' ? [] : [notSupported(at.child('status'), status, ['True'])]),
      ];
    }),
    ...validateConditions(conditions, path),
  ];
}

const kept = immutable('spec');

export const podCertificateRequests: Kind = {
  name: 'podcertificaterequests.certificates.k8s.io',
  validate,
  update: {
    unconditional: false,
    review: (request, old, metadata) => [...metadata.update(), ...kept(request, old)],
  },
  subresources: {
    status: {
      prepare: restoreAllButStatus,
      review: reviewStatus,
    },
  },
};
