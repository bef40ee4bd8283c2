import type { JsonObject } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';
import type { Logger } from '../../../program/log/logger.js';
import type { TokenServices } from '../../authentication/tokens/services.js';
import type { Authorizer } from '../../authorization/authorizer.js';
import type { RuleResolver } from '../../authorization/rules.js';
import { managerOf } from '../../patch/apply/managers.js';
import type { Registry, WriteOptions } from '../../registry/contract.js';
import type { Target } from '../../registry/target.js';
import type { Catalogue } from '../../registry/resources.js';
import type { Backends } from '../backends/connection.js';
import type { BodyReader } from '../body.js';
import type { RequestContext } from '../context.js';
import type { EndpointCounts } from '../counts.js';
import type { DeleteParameters } from '../options/deleteOptions.js';
import type { Route } from '../routing.js';

export interface VerbDeps {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly reader: BodyReader;
  readonly authorize: Authorizer;
  readonly rules: RuleResolver;
  /** Null where tokens are neither issued nor reviewed. */
  readonly tokens: TokenServices | null;
  /** A watch without its own timeout lasts one to two times this. */
  readonly minRequestTimeoutSeconds: number;
  /** Watches may request initial events: gate `WatchList`. */
  readonly watchList: boolean;
  /** Lists and watches may request a shard: gate `ShardedListAndWatch`. */
  readonly shards: boolean;
  readonly cached: (resource: GroupResource) => boolean;
  /** Compresses large responses to reads for clients that accept it. */
  readonly compression: boolean;
  /** Binding a pod clears its nomination. */
  readonly clearsNomination: boolean;
  /** Authorized users may remove unreadable objects: gate `AllowUnsafeMalformedObjectDeletion`. */
  readonly forcesDeletion: boolean;
  /** Gate `AuthorizePodWebsocketUpgradeCreatePermission`. */
  readonly streamsNeedCreate: boolean;
  /** Clients may request one stream of a log (feature PodLogsQuerySplitStreams). */
  readonly splitsLogs: boolean;
  readonly backends: Backends | null;
  readonly counts: EndpointCounts;
  readonly log: Logger | null;
}

export type VerbHandler = (context: RequestContext, route: Route, deps: VerbDeps) => Promise<void>;

const writeTimeoutMs = 34_000;

export const targetOf = ({ resource, namespace, name }: Route): Target => ({ resource, namespace: namespace ?? '', name });

/** `fieldManager` is the parameter of that name, empty when absent. */
export function writeOptions(context: RequestContext, dryRun: boolean, fieldManager = ''): WriteOptions {
  const left = context.deadline - performance.now();
  return {
    user: context.user,
    verb: context.info.verb,
    manager: managerOf(fieldManager, context.request.headers['user-agent']),
    dryRun,
    timeoutMs: Math.max(1, Number.isFinite(left) ? Math.min(left, writeTimeoutMs) : writeTimeoutMs),
    warn: (text) => {
      context.warnings.push(text);
    },
    annotate: (key, text, level) => {
      context.audit?.annotate(key, text, level);
    },
    asked: askedFor(context.query, fieldManager),
    waiter: context,
    latency: context.latency,
    deadline: context.deadline,
  };
}

function askedFor(query: URLSearchParams, fieldManager: string): JsonObject | undefined {
  if (query.size === 0) return undefined;
  const [dryRun, fieldValidation] = [query.getAll('dryRun'), query.get('fieldValidation') ?? ''];
  return {
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === '' ? {} : { fieldValidation }),
  };
}

export function deletionOptions(context: RequestContext, { deleteOptions, dryRun }: DeleteParameters): WriteOptions {
  const { gracePeriodSeconds, uid, resourceVersion, orphanDependents, propagationPolicy } = deleteOptions;
  const preconditions = { ...(uid === null ? {} : { uid }), ...(resourceVersion === null ? {} : { resourceVersion }) };
  const asked: JsonObject = {
    ...(gracePeriodSeconds === null ? {} : { gracePeriodSeconds }),
    ...(uid === null && resourceVersion === null ? {} : { preconditions }),
    ...(orphanDependents === null ? {} : { orphanDependents }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  };
  return { ...writeOptions(context, dryRun), asked };
}
