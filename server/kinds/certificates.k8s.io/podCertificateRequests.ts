import type { PodCertificateRequest } from '../../../api/types/certificates/v1beta1.js';
import type { JsonObject } from '../../../api/object.js';
import { ensureObject, objectAt, setDefault } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { Review } from '../../registry/rules.js';
import { validateConditions } from '../../registry/validation/conditions.js';
import { invalid, invalidUnquoted, notSupported, Path, tooLong, type FieldError } from '../../registry/validation/field.js';
import { validateAnnotations } from '../../registry/validation/metadata.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { fieldsAt } from '../fields.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { validateIssued } from './issuedChain.js';
import { validateKey } from './podKey.js';
import { validateSignerName } from './signerName.js';
import { inOrder, type Found } from '../../registry/validation/ofEach.js';
import { outcomeOf } from '../../registry/stepwise.js';
import { type Steps } from '../../../api/steps.js';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const uidMax = 128;
const secondsMin = 3600;
const daySeconds = 86_400;
const secondsMax = 91 * daySeconds;
const ends = ['Issued', 'Denied', 'Failed'];
/** A name alone may be reused. */
const parties = ['pod', 'serviceAccount', 'node'] as const;

const hasEndedAs = (request: Draft<PodCertificateRequest>, type: string): boolean =>
  itemsOf(memberAt(request, 'status', 'conditions')).some((each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True');

function validate(request: Draft<PodCertificateRequest>): Found {
  const spec = specOf(request);
  const annotations = objectAt(spec, 'unverifiedUserAnnotations');
  const signer = textAt(spec, 'signerName');
  return inOrder(
    validateSignerName(signer, specPath.child('signerName')),
    annotations === null
      ? []
      : validateAnnotations(annotations as Readonly<Record<string, string>>, specPath.child('unverifiedUserAnnotations')),
    parties.flatMap((party) => [
      ...dnsSubdomain(textAt(spec, `${party}Name`), specPath.child(`${party}Name`)),
      ...validateUid(textAt(spec, `${party}UID`), specPath.child(`${party}UID`)),
    ]),
    validateLifetime(Number(spec.maxExpirationSeconds), signer, specPath.child('maxExpirationSeconds')),
    validateKey(spec),
  );
}

const validateUid = (uid: string, path: Path): FieldError[] =>
  uid === '' ? [invalid(path, uid, 'must not be empty')] : uid.length > uidMax ? [tooLong(path, uidMax)] : [];

/** The cluster's own signers issue for a day at most. */
function validateLifetime(seconds: number, signer: string, path: Path): FieldError[] {
  const max = /^([^/]*\.)?kubernetes\.io\//.test(signer) ? daySeconds : secondsMax;
  return seconds < secondsMin || seconds > max ? [invalid(path, seconds, `must be in the range [${secondsMin}, ${max}]`)] : [];
}

/** A request ends once, in one state, and is then immutable. */
function* reviewStatus(
  request: Draft<PodCertificateRequest>,
  old: Draft<PodCertificateRequest>,
  { metadata, context: { now } }: Review,
): Steps<FieldError[]> {
  const findings = [...(yield* outcomeOf(metadata.update())), ...validateEnds(request)];
  if (findings.length > 0) return findings;
  const [status, before] = [statusOf(request), statusOf(old)];
  const only = (wanted: JsonObject, detail: string): FieldError[] =>
    sameValue(status, wanted) ? [] : [invalidUnquoted(statusPath, detail)];
  if (ends.some((type) => hasEndedAs(old, type))) return only(before, 'immutable after PodCertificateRequest is issued, denied, or failed');
  if (['Denied', 'Failed'].some((type) => hasEndedAs(request, type)))
    return only(
      { conditions: status.conditions ?? [] },
      'non-condition status fields must be empty when denying or failing the PodCertificateRequest',
    );
  return hasEndedAs(request, 'Issued')
    ? validateIssued(status, specOf(request), now)
    : only(before, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
}

/** The reference spells their paths in its own way. */
function validateEnds(request: Draft<PodCertificateRequest>): FieldError[] {
  const conditions = itemsOf(memberAt(request, 'status', 'conditions'));
  const path = statusPath.child('conditions');
  let known = 0;
  return [
    ...conditions.flatMap((condition, position) => {
      const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
      const at = path.child(`[${position}]`);
      if (!ends.includes(type)) return [notSupported(at.child('type'), type, ends)];
      known += 1;
      return [
        ...(known > 1
          ? [invalid(at.child('type'), type, 'There may be at most one condition with type "Issued", "Denied", or "Failed"')]
          : []),
        ...(status === 'True' ? [] : [notSupported(at.child('status'), status, ['True'])]),
      ];
    }),
    ...validateConditions(conditions, path),
  ];
}

export const podCertificateRequests: Kind<Draft<PodCertificateRequest>> = {
  name: 'podcertificaterequests.certificates.k8s.io',
  defaults(request) {
    setDefault(ensureObject(request, 'spec'), 'maxExpirationSeconds', daySeconds);
  },
  validate,
  update: {
    unconditional: false,
    resets: [],
    review: ['objectMetaUpdate', immutable('spec')],
  },
  subresources: {
    status: {
      keepsMetadata: true,
      resets: ['spec'],
      review: [reviewStatus],
    },
  },
  // A kubelet may watch the requests of its node.
  fields: { values: fieldsAt('spec.signerName', 'spec.podName', 'spec.nodeName') },
};
