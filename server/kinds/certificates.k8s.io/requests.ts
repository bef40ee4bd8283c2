import * as enums from '../../../api/data/enums.js';
import {
  all,
  at,
  distinct,
  duration,
  each,
  ensureObject,
  fieldsAt,
  forbidden,
  inOrder,
  invalid,
  itemsOf,
  knowing,
  memberAt,
  members,
  none,
  objectRulesWith,
  oneOf,
  optional,
  orEmpty,
  Path,
  pathSegmentName,
  required,
  statusOf,
  textAt,
  whenFacts,
  type ChangeRules,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
} from '../language.js';
import type * as v1 from '../../../api/types/certificates/v1.js';
import { certificateProblem } from './certificate.js';
import { conditionsOf, fillConditionTimes, keepDecisions, validateConditions, validateKeptConditions } from './conditions.js';
import { requestProblem } from './request.js';
import { validateSignerName } from './signerName.js';

type Request = Draft<v1.CertificateSigningRequest>;

const certificatePath = Path.of('status', 'certificate');
const expirationSecondsMin = 600;
const legacySigner = 'kubernetes.io/legacy-unknown';
const knownUsages = enums.KeyUsage;

const certificateOf = ({ status }: Request): string => status?.certificate ?? '';

/** Existing errors are tolerated in updates. */
interface Strictness {
  readonly knownUsages: boolean;
  readonly uniqueUsages: boolean;
  readonly noLegacySigner: boolean;
}
function strictnessAfter(old: Request | null): Strictness {
  const before = itemsOf(old?.spec?.usages);
  return {
    knownUsages: before.every((each) => knownUsages.includes(each)),
    uniqueUsages: new Set(before).size === before.length,
    noLegacySigner: old?.spec?.signerName !== legacySigner,
  };
}

const requestRules = objectRulesWith<v1.CertificateSigningRequest, Strictness>({
  spec: members<v1.CertificateSigningRequestSpec, Strictness>({
    request: readable,
    usages: all<string[] | null | undefined, unknown, Strictness>(
      required(),
      whenFacts(({ knownUsages }) => knownUsages, each(oneOf(...knownUsages))),
      whenFacts(({ uniqueUsages }) => uniqueUsages, distinct(null)),
    ),
    signerName: orEmpty<unknown, Strictness>(
      knowing((signer, path, { noLegacySigner }) =>
        signer === legacySigner && noLegacySigner
          ? [invalid(path, signer, 'the legacy signerName is not allowed via this API version')]
          : validateSignerName(signer, path),
      ),
    ),
    expirationSeconds: optional(lifetime),
  }),
});

const validate = (request: Request, old: Request | null): Found =>
  inOrder(requestRules(request, strictnessAfter(old)), validateConditions(request, old), validateCertificate(request, old));

function readable(request: string | null | undefined, path: Path): FieldError[] {
  const problem = requestProblem(request ?? '');
  return problem === null ? [] : [invalid(path, request ?? null, problem)];
}

function lifetime(seconds: number, path: Path): FieldError[] {
  const least = expirationSecondsMin;
  return seconds < least ? [invalid(path, seconds, `may not specify a duration less than ${least} seconds (10 minutes)`)] : [];
}

function validateCertificate(request: Request, old: Request | null): FieldError[] {
  const certificate = certificateOf(request);
  if (old !== null && (certificate === certificateOf(old) || certificateProblem(certificateOf(old)) !== null)) return [];
  const problem = certificateProblem(certificate);
  return problem === null ? [] : [invalid(certificatePath, '<certificate data>', problem)];
}

interface Powers {
  readonly decide: boolean;
  readonly issue: boolean;
}

const review = ({ decide, issue }: Powers): ChangeRules<Request>['review'] => [
  'objectMeta',
  validate,
  (request, old) => validateKeptConditions(request, old, decide),
  (request, old) => validateIssue(request, old, issue),
  'objectMetaUpdate',
];

function validateIssue(request: Request, old: Request, mayIssue: boolean): FieldError[] {
  if (certificateOf(request) === certificateOf(old)) return [];
  if (!mayIssue) return [forbidden(certificatePath, 'updates may not set certificate content')];
  return certificateOf(old) === '' ? [] : [forbidden(certificatePath, 'updates may not modify existing certificate content')];
}

export const certificateSigningRequests: Kind<Request> = {
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
        request.status = conditions.length === 0 ? status : { ...status, conditions: [...conditions] };
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

function requestState(request: Request): string {
  const types = conditionsOf(request).map(({ type }) => type);
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  return [decision, ...(types.includes('Failed') ? ['Failed'] : []), ...(certificateOf(request) === '' ? [] : ['Issued'])].join(',');
}
