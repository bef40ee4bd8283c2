import { BoundedMap } from '../../../api/boundedMap.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { forbidden } from '../../../api/status.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import { shapeProblems, type Shape } from '../../../program/files/configuration.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';

export interface ImagePolicy {
  readonly kubeConfigFile: string;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  /** Admits images while the service is unreachable. */
  readonly defaultAllow: boolean;
}

export interface ImagePolicyParts {
  readonly policy: ImagePolicy;
  /** Posts an ImageReview and resolves with the response. */
  readonly ask: (review: string, signal: AbortSignal | null) => Promise<string>;
  readonly report: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const pods = { group: '', resource: 'pods' };
const apiVersion = 'imagepolicy.k8s.io/v1alpha1';
const ownAnnotation = /\.image-policy\.k8s\.io\//;
const lists = ['containers', 'initContainers', 'ephemeralContainers'];
const configurationMember = 'imagePolicy';
const fields = {
  fields: {
    kubeConfigFile: 'text',
    orchConfigFile: 'text',
    allowTTL: 'integer',
    denyTTL: 'integer',
    retryBackoff: 'integer',
    defaultAllow: 'bool',
  },
} as const satisfies Shape;
const rememberedMax = 1_024;
const attemptsMax = 5;

/** Default, minimum and maximum: cache lifetimes in seconds, and the retry backoff in milliseconds. */
const times = { allowTTL: [300, 1, 1_800], denyTTL: [30, 1, 1_800], retryBackoff: [500, 1, 300_000] } as const;

/** The configuration has no kind. Throws if invalid, as no image would be reviewed. */
export function imagePolicyIn(configuration: JsonObject | null): ImagePolicy {
  const fail = (what: string): never => {
    throw new Error(`the configuration of ImagePolicyWebhook: ${what}`);
  };
  const policy =
    objectAt(configuration ?? {}, configurationMember) ?? fail(`${configurationMember} is missing; see --admission-control-config-file`);
  const problems = shapeProblems(policy, fields);
  if (problems.length > 0) fail(problems.map((problem) => `${configurationMember}.${problem}`).join('; '));
  const kubeConfigFile = textAt(policy, 'kubeConfigFile') || textAt(policy, 'orchConfigFile');
  if (kubeConfigFile === '') fail(`${configurationMember}.kubeConfigFile is missing`);
  const time = (member: keyof typeof times): number => {
    const [usual, min, max] = times[member];
    const value = Number(policy[member] ?? 0);
    // Zero is the default, a negative number never.
    if (value === 0) return usual;
    return value < 0
      ? 0
      : value >= min && value <= max
        ? value
        : fail(`${configurationMember}.${member} must be between ${min} and ${max}, or negative to switch it off`);
  };
  return {
    kubeConfigFile,
    allowTtlMs: time('allowTTL') * 1_000,
    denyTtlMs: time('denyTTL') * 1_000,
    retryBackoffMs: time('retryBackoff'),
    defaultAllow: policy['defaultAllow'] === true,
  };
}

interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export function imagePolicyWebhook({ policy, ask, report, now = () => performance.now() }: ImagePolicyParts): AdmissionPlugin {
  const remembered = new BoundedMap<string, { readonly verdict: Verdict; readonly until: number }>(rememberedMax);
  const recall = (question: string): Verdict | null => {
    const known = remembered.get(question);
    return known !== undefined && known.until > now() ? known.verdict : null;
  };
  const remember = (question: string, verdict: Verdict): void => {
    const ttlMs = verdict.allowed ? policy.allowTtlMs : policy.denyTtlMs;
    if (ttlMs === 0) return;
    remembered.set(question, { verdict, until: now() + ttlMs });
  };
  const verdictOn = async (question: string, signal: AbortSignal | null): Promise<Verdict> => {
    const known = recall(question);
    if (known !== null) return known;
    const verdict = readVerdict(await asked(() => ask(question, signal), policy.retryBackoffMs, signal));
    remember(question, verdict);
    return verdict;
  };
  return {
    name: 'ImagePolicyWebhook',
    resources: ['pods'],
    async validate(request) {
      if (!bringsImages(request)) return;
      const verdict = await verdictOn(questionAbout(request.object!, request.namespace), request.waiter?.signal ?? null).catch(
        (error: unknown) => {
          report(error);
          if (!policy.defaultAllow)
            throw forbidden(pods, request.name, `Post to the image policy webhook failed: ${(error as Error).message}`);
          request.annotate('imagepolicywebhook.image-policy.k8s.io/failed-open', 'true');
          return { allowed: true, reason: '', annotations: {} };
        },
      );
      for (const [key, text] of Object.entries(verdict.annotations))
        request.annotate(`imagepolicywebhook.image-policy.k8s.io/${key}`, text);
      if (verdict.allowed) return;
      const why = verdict.reason === '' ? '' : `: ${verdict.reason}`;
      throw forbidden(pods, request.name, `image policy webhook backend denied one or more images${why}`);
    },
  };
}

/** Ephemeral containers are the only subresource that adds images. */
function bringsImages({ object, old, operation, subresource }: AdmissionRequest): boolean {
  if (object === null || operation === 'DELETE' || operation === 'CONNECT') return false;
  if (subresource !== '' && subresource !== 'ephemeralcontainers') return false;
  return old === null || JSON.stringify(imagesOf(object)) !== JSON.stringify(imagesOf(old));
}

const imagesOf = (pod: ApiObject): string[] =>
  lists.flatMap((list) => objectsIn(objectAt(pod, 'spec') ?? {}, list)).map((container) => textAt(container, 'image'));

function questionAbout(pod: ApiObject, namespace: string): string {
  const annotations = Object.fromEntries(Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => ownAnnotation.test(key)));
  const containers = imagesOf(pod).map((image) => ({ image }));
  return JSON.stringify({ apiVersion: apiVersion, kind: 'ImageReview', spec: { containers, annotations, namespace } });
}

/** Retries temporary errors with growing delays. */
async function asked(ask: () => Promise<string>, backoffMs: number, signal: AbortSignal | null): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === attemptsMax || backoffMs === 0 || (error as { readonly passing?: boolean }).passing !== true) throw error;
      await delay(backoffMs * 1.5 ** (attempt - 1), undefined, signal === null ? {} : { signal });
    }
  }
}

function readVerdict(text: string): Verdict {
  const answer = JSON.parse(text) as JsonValue;
  const allowed = memberAt(answer, 'status', 'allowed');
  if (textAt(answer, 'kind') !== 'ImageReview' || typeof allowed !== 'boolean') throw new Error('the answer is no ImageReview');
  const annotations = memberAt(answer, 'status', 'auditAnnotations');
  const texts = Object.entries(typeof annotations === 'object' && annotations !== null ? annotations : {}).filter(
    ([, value]) => typeof value === 'string',
  );
  return { allowed, reason: textAt(answer, 'status', 'reason'), annotations: Object.fromEntries(texts) as Record<string, string> };
}
