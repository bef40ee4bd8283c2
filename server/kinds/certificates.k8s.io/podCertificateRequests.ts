import type * as v1beta1 from '../../../api/types/certificates/v1beta1.js';
import {
  byDefault,
  conditions,
  created,
  dnsSubdomain,
  fieldsAt,
  inOrder,
  invalid,
  invalidUnquoted,
  itemsOf,
  members,
  notSupported,
  objectRules,
  optional,
  orEmpty,
  outcomeOf,
  Path,
  sameValue,
  specOf,
  statusOf,
  tooLong,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Review,
  type Steps,
  type Writable,
} from '../language.js';
import { validateAnnotations } from '../../registry/validation/metadata.js';
import { immutable } from '../immutable.js';
import { validateIssued } from './issuedChain.js';
import { validateKey } from './podKey.js';
import { validateSignerName } from './signerName.js';

type Request = Draft<v1beta1.PodCertificateRequest>;

const statusPath = Path.of('status');
const uidMax = 128;
const secondsMin = 3600;
const daySeconds = 86_400;
const secondsMax = 91 * daySeconds;
const ends = ['Issued', 'Denied', 'Failed'];

const hasEndedAs = ({ status }: Request, name: string): boolean =>
  itemsOf(status?.conditions).some((each) => each.type === name && each.status === 'True');

const name = orEmpty(dnsSubdomain);
const uid = orEmpty((value, path) =>
  value === '' ? [invalid(path, value, 'must not be empty')] : value.length > uidMax ? [tooLong(path, uidMax)] : [],
);
const spec = members<v1beta1.PodCertificateRequestSpec>({
  signerName: orEmpty(validateSignerName),
  unverifiedUserAnnotations: optional(validateAnnotations),
  podName: name,
  podUID: uid,
  serviceAccountName: name,
  serviceAccountUID: uid,
  nodeName: name,
  nodeUID: uid,
  maxExpirationSeconds: byDefault(daySeconds, lifetime),
});
const validate = objectRules<v1beta1.PodCertificateRequest>({ spec: created(spec, validateKey) });

/** The cluster's own signers issue for a day at most. */
function lifetime(seconds: number, path: Path, { signerName = '' }: Writable<v1beta1.PodCertificateRequestSpec>): FieldError[] {
  const max = /^([^/]*\.)?kubernetes\.io\//.test(signerName) ? daySeconds : secondsMax;
  return seconds < secondsMin || seconds > max ? [invalid(path, seconds, `must be in the range [${secondsMin}, ${max}]`)] : [];
}

/** A request ends once, in one state, and is then immutable. */
function* reviewStatus(request: Request, old: Request, { metadata, context: { now } }: Review): Steps<FieldError[]> {
  const findings = [...(yield* outcomeOf(metadata.update())), ...(yield* outcomeOf(validateEnds(request)))];
  if (findings.length > 0) return findings;
  const [status, before] = [statusOf(request), statusOf(old)];
  const only = (wanted: typeof status, detail: string): FieldError[] =>
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
function validateEnds(request: Request): Found {
  const given = itemsOf(request.status?.conditions);
  const path = statusPath.child('conditions');
  let known = 0;
  return inOrder(
    given.flatMap(({ type = '', status = '' }, position) => {
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
    conditions(given, path, null),
  );
}

export const podCertificateRequests: Kind<Request> = {
  name: 'podcertificaterequests.certificates.k8s.io',
  defaults: validate.defaults,
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
