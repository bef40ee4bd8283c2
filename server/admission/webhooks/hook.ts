import type { ApiObject, JsonObject } from '../../../api/object.js';
import { compileMatchConditions, type MatchConditions } from '../../../cel/matchConditions.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import type { HookTarget } from '../../webhook/hookClients.js';
import { matchTermsOf, type MatchTerms } from '../matching/match.js';

export type HookKind = 'mutating' | 'validating';
export type ReviewVersion = 'v1' | 'v1beta1';

export interface Hook {
  readonly name: string;
  readonly configuration: string;
  /** Identifies a webhook even when its position changes. */
  readonly id: string;
  readonly terms: MatchTerms;
  readonly conditions: MatchConditions;
  readonly target: HookTarget;
  readonly timeoutMs: number;
  /** A failed call lets the request pass (`failurePolicy: Ignore`). */
  readonly ignoresFailures: boolean;
  /** May be called in dry runs. */
  readonly servesDryRun: boolean;
  /** Its AdmissionReview version; null if this server supports none of them. */
  readonly reviewVersion: ReviewVersion | null;
  /** Called again after later changes (`reinvocationPolicy: IfNeeded`). */
  readonly reinvoked: boolean;
}

const timeoutSecondsDefault = 10;
const dryRunSafe: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

/** Returns the webhooks of a stored configuration in order. Older objects may lack newer required fields. */
export function hooksOf(configuration: ApiObject): Hook[] {
  const name = configuration.metadata.name ?? '';
  const seen = new Map<string, number>();
  return objectsIn(configuration, 'webhooks').map((hook) => {
    const hookName = textAt(hook, 'name');
    const before = seen.get(hookName) ?? 0;
    seen.set(hookName, before + 1);
    return hookOf(hook, name, `${name}/${hookName}/${before}`);
  });
}

function hookOf(hook: JsonObject, configuration: string, id: string): Hook {
  const versions = itemsOf(hook['admissionReviewVersions']).map(String);
  return {
    name: textAt(hook, 'name'),
    configuration,
    id,
    terms: matchTermsOf(hook, 'rules'),
    conditions: compileMatchConditions(
      objectsIn(hook, 'matchConditions').map((condition) => ({
        name: textAt(condition, 'name'),
        expression: textAt(condition, 'expression'),
      })),
    ),
    target: targetOf(objectAt(hook, 'clientConfig') ?? {}),
    timeoutMs: Number(hook['timeoutSeconds'] ?? timeoutSecondsDefault) * 1000,
    ignoresFailures: hook['failurePolicy'] === 'Ignore',
    servesDryRun: dryRunSafe.has(textAt(hook, 'sideEffects')),
    reviewVersion: versions.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1') ?? null,
    reinvoked: hook['reinvocationPolicy'] === 'IfNeeded',
  };
}

const httpsPort = 443;

/** The target of a `clientConfig`, which admission and conversion webhooks share. */
export function targetOf(client: JsonObject): HookTarget {
  const service = objectAt(client, 'service');
  return {
    at:
      service === null
        ? textAt(client, 'url')
        : {
            namespace: textAt(service, 'namespace'),
            name: textAt(service, 'name'),
            port: Number(service['port'] ?? httpsPort),
            path: textAt(service, 'path'),
          },
    ca: Buffer.from(textAt(client, 'caBundle'), 'base64').toString('utf8'),
  };
}
