import type { CertificateSigningRequest } from '../../../api/types/certificates/v1.js';
import { ensureObject } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { ChangeRules } from '../../registry/rules.js';
import { duplicate, forbidden, invalid, notSupported, Path, required, type FieldError } from '../../registry/validation/field.js';
import { pathSegmentName } from '../../registry/validation/names.js';
import { repeats } from '../../registry/validation/repeats.js';
import { at, duration, none } from '../cells.js';
import { fieldsAt } from '../fields.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { certificateProblem } from './certificate.js';
import { conditionsOf, fillConditionTimes, keepDecisions, validateConditions, validateKeptConditions } from './conditions.js';
import { requestProblem } from './request.js';
import { validateSignerName } from './signerName.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const certificatePath = Path.of('status', 'certificate');
const expirationSecondsMin = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';
const knownUsages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const usagesOf = (request: Draft<CertificateSigningRequest>): string[] => itemsOf(specOf(request).usages).map(String);
const certificateOf = (request: Draft<CertificateSigningRequest>): string => textAt(request, 'status', 'certificate');

/** Existing errors are tolerated in updates. */
function validate(request: Draft<CertificateSigningRequest>, old: Draft<CertificateSigningRequest> | null): Found {
  const spec = specOf(request);
  const problem = requestProblem(textAt(spec, 'request'));
  const expiration = spec.expirationSeconds;
  return inOrder(
    problem === null ? [] : [invalid(specPath.child('request'), spec.request ?? null, problem)],
    validateUsages(usagesOf(request), old === null ? [] : usagesOf(old), specPath.child('usages')),
    validateSigner(textAt(spec, 'signerName'), old === null ? '' : textAt(specOf(old), 'signerName'), specPath.child('signerName')),
    expiration !== undefined && Number(expiration) < expirationSecondsMin
      ? [
          invalid(
            specPath.child('expirationSeconds'),
            expiration,
            `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`,
          ),
        ]
      : [],
    validateConditions(request, old),
    validateCertificate(request, old),
  );
}

function validateUsages(usages: readonly string[], before: readonly string[], path: Path): Found {
  const [unknownBefore, repeatedBefore] = [before.some((usage) => !knownUsages.includes(usage)), new Set(before).size < before.length];
  const isRepeated = repeats(usages);
  return inOrder(
    usages.length === 0 ? [required(path, '')] : [],
    unknownBefore
      ? []
      : ofEach(usages, (usage, position) => (knownUsages.includes(usage) ? [] : [notSupported(path.index(position), usage, knownUsages)])),
    repeatedBefore ? [] : ofEach(usages, (usage, position) => (isRepeated(position) ? [duplicate(path.index(position), usage)] : [])),
  );
}

function validateSigner(signer: string, before: string, path: Path): FieldError[] {
  if (signer === legacySigner && before !== legacySigner)
    return [invalid(path, signer, 'the legacy signerName is not allowed via this API version')];
  return validateSignerName(signer, path);
}

function validateCertificate(request: Draft<CertificateSigningRequest>, old: Draft<CertificateSigningRequest> | null): FieldError[] {
  const certificate = certificateOf(request);
  if (old !== null && (certificate === certificateOf(old) || certificateProblem(certificateOf(old)) !== null)) return [];
  const problem = certificateProblem(certificate);
  return problem === null ? [] : [invalid(certificatePath, '<certificate data>', problem)];
}

interface Powers {
  readonly decide: boolean;
  readonly issue: boolean;
}

const review = ({ decide, issue }: Powers): ChangeRules<Draft<CertificateSigningRequest>>['review'] => [
  'objectMeta',
  validate,
  (request, old) => validateKeptConditions(request, old, decide),
  (request, old) => validateIssue(request, old, issue),
  'objectMetaUpdate',
];

function validateIssue(request: Draft<CertificateSigningRequest>, old: Draft<CertificateSigningRequest>, mayIssue: boolean): FieldError[] {
  if (certificateOf(request) === certificateOf(old)) return [];
  if (!mayIssue) return [forbidden(certificatePath, 'updates may not set certificate content')];
  return certificateOf(old) === '' ? [] : [forbidden(certificatePath, 'updates may not modify existing certificate content')];
}

export const certificateSigningRequests: Kind<Draft<CertificateSigningRequest>> = {
  name: 'certificatesigningrequests.certificates.k8s.io',
  metadata: { name: pathSegmentName },
  validate: (request) => validate(request, null),
  create: {
    // The signer relies on the requesting user, so the client's values are replaced.
    prepare(request, { user }) {
      const spec = ensureObject(request, 'spec');
      for (const member of ['username', 'uid', 'groups', 'extra'] as const) delete spec[member];
      spec.username = user.name;
      if (user.uid !== '') spec.uid = user.uid;
      if (user.groups.length > 0) spec.groups = [...user.groups];
      if (Object.keys(user.extra).length > 0)
        spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
    },
  },
  update: {
    prepare(request, old) {
      request.spec = old.spec;
    },
    // The spec has no owner, not even its creator.
    resets: ['spec', 'status'],
    review: review({ decide: false, issue: false }),
  },
  subresources: {
    status: {
      prepare(request, old, { now }) {
        keepDecisions(request, old);
        fillConditionTimes(request, old, now);
      },
      resets: ['spec', 'status.conditions'],
      review: review({ decide: false, issue: true }),
    },
    approval: {
      prepare(request, old, { now }) {
        const conditions = conditionsOf(request);
        request.spec = old.spec;
        const { conditions: _conditions, ...status } = statusOf(old);
        request.status = conditions.length === 0 ? status : { ...status, conditions };
        fillConditionTimes(request, old, now);
      },
      resets: ['spec', 'status.certificate'],
      review: review({ decide: true, issue: false }),
    },
  },
  fields: { values: fieldsAt('spec.signerName') },
  cells: {
    SignerName: at('spec.signerName'),
    Requestor: at('spec.username', ''),
    Condition: requestState,
    RequestedDuration: (object) =>
      memberAt(object, 'spec', 'expirationSeconds') === undefined ? none : duration(Number(textAt(object, 'spec', 'expirationSeconds'))),
  },
};

function requestState(request: Draft<CertificateSigningRequest>): string {
  const types = conditionsOf(request).map((condition) => textAt(condition, 'type'));
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  return [
    decision,
    ...(types.includes('Failed') ? ['Failed'] : []),
    ...(textAt(request, 'status', 'certificate') === '' ? [] : ['Issued']),
  ].join(',');
}
