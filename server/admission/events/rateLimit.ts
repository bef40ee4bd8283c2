import { BoundedMap } from '../../../api/boundedMap.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { tooManyRequests } from '../../../api/status.js';
import { itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { checkPluginConfiguration, type PluginKind } from '../configuration.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission.js';

const types = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

export interface EventLimit {
  readonly type: (typeof types)[number];
  readonly perSecond: number;
  readonly burst: number;
  /** The number of keys whose buckets are kept. */
  readonly rememberedMax: number;
}

const rememberedDefault = 4_096;
const rememberedMaxDefault = 1_000_000;
export const eventRateLimitKind: PluginKind = {
  kind: 'Configuration',
  apiVersions: ['eventratelimit.admission.k8s.io/v1alpha1'],
  fields: { limits: { list: { fields: { type: { oneOf: types }, qps: 'integer', burst: 'integer', cacheSize: 'integer' } } } },
};

/** Throws for an invalid configuration; without limits the plugin has no effect. */
export function eventLimitsIn(configuration: JsonObject | null): readonly EventLimit[] {
  if (configuration === null)
    throw new Error('the admission plugin EventRateLimit needs a configuration: see --admission-control-config-file');
  checkPluginConfiguration('EventRateLimit', configuration, eventRateLimitKind);
  const limits = itemsOf(configuration['limits']).map(membersOf).map(limitOf);
  if (limits.length === 0) throw new Error('the configuration of EventRateLimit names no limits');
  return limits;
}

function limitOf(limit: JsonObject, position: number): EventLimit {
  const positive = (member: string, max: number): number => {
    const value = Number(limit[member] ?? 0);
    if (value < 1 || value > max)
      throw new Error(`the configuration of EventRateLimit: limits[${position}].${member} must be between 1 and ${max}`);
    return value;
  };
  const type = types.find((each) => each === limit['type']);
  if (type === undefined)
    throw new Error(`the configuration of EventRateLimit: limits[${position}].type must be one of ${types.join(', ')}`);
  const rememberedMax = Number(limit['cacheSize'] ?? 0) === 0 ? rememberedDefault : positive('cacheSize', rememberedMaxDefault);
  return { type, perSecond: positive('qps', Number.MAX_SAFE_INTEGER), burst: positive('burst', Number.MAX_SAFE_INTEGER), rememberedMax };
}

export type CountEvents = (keys: readonly string[]) => readonly boolean[] | Promise<readonly boolean[]>;

/** `now` is in milliseconds of a monotonic clock. */
export function eventCounter(
  limits: readonly EventLimit[],
  now: () => number = () => performance.now(),
): (keys: readonly string[]) => boolean[] {
  const buckets = limits.map((limit) => new TokenBuckets(limit, now));
  // Each limit counts the event, even if another one refuses it.
  return (keys) => buckets.map((each, index) => !each.take(keys[index] ?? ''));
}

/** Keeps a flood of events from filling the store. */
export function eventRateLimit(limits: readonly EventLimit[], count: CountEvents): AdmissionPlugin {
  return {
    name: 'EventRateLimit',
    resources: ['events', 'events.events.k8s.io'],
    validate(request) {
      const { object } = request;
      if (object === null || request.dryRun || request.subresource !== '' || request.operation === 'DELETE') return undefined;
      const keys = limits.map((limit) => keyOf(limit, request, object));
      const refuse = (exceeded: readonly boolean[]): void => {
        const first = exceeded.indexOf(true);
        if (first >= 0) throw tooManyRequests(`limit reached on type ${limits[first]?.type} for key ${keys[first]}`, 1);
      };
      const exceeded = count(keys);
      return exceeded instanceof Promise ? exceeded.then(refuse) : refuse(exceeded);
    },
  };
}

function keyOf({ type }: EventLimit, { namespace, user }: AdmissionRequest, event: ApiObject): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return namespace;
    case 'User':
      return user.name;
    case 'SourceAndObject': {
      const involved = memberAt(event, 'involvedObject') ?? memberAt(event, 'regarding');
      const source = ['component', 'host'].map((member) => textAt(event, 'source', member));
      return [...source, ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((member) => textAt(involved, member))].join('');
    }
  }
}

/** A bucket per key. The longest unused keys are forgotten first, and start again with full buckets. */
class TokenBuckets {
  readonly #limit: EventLimit;
  readonly #now: () => number;
  readonly #levels: BoundedMap<string, { level: number; at: number }>;

  constructor(limit: EventLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#levels = new BoundedMap(limit.rememberedMax);
  }

  take(key: string): boolean {
    const { perSecond, burst } = this.#limit;
    const at = this.#now();
    const known = this.#levels.get(key);
    const level = known === undefined ? burst : Math.min(burst, known.level + ((at - known.at) / 1_000) * perSecond);
    this.#levels.set(key, { level: level >= 1 ? level - 1 : level, at });
    return level >= 1;
  }
}
