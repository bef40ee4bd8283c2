import type { JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import type { RequestInfo } from '../../api/requestInfo.js';

export const levels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof levels)[number];

/** Stages of a request, each of which may yield an event. */
export const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof stages)[number];

export const reaches = (level: Level, wanted: Level): boolean => levels.indexOf(level) >= levels.indexOf(wanted);

/** `audit.k8s.io/v1 Event`, in written order. Bodies are JSON texts, never parsed again. */
export interface AuditEvent {
  readonly level: Level;
  readonly auditID: string;
  readonly stage: Stage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: JsonObject;
  readonly impersonatedUser: JsonObject | null;
  /** The permission of constrained impersonation. */
  readonly authenticationMetadata: JsonObject | null;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef: JsonObject | null;
  readonly responseStatus: JsonObject | null;
  readonly requestObject: string | null;
  readonly responseObject: string | null;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export const eventType = { kind: 'Event', apiVersion: 'audit.k8s.io/v1' } as const;

/** `MicroTime` is RFC 3339 with microseconds. */

export function userObject({ name, uid, groups, extra }: User): JsonObject {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}

export function objectRefOf(info: RequestInfo): JsonObject | null {
  if (!info.isResource) return null;
  const { resource, namespace, name, group, version, subresource } = info;
  return filled({ resource, namespace, name, apiGroup: group, apiVersion: version, subresource });
}

/** Adds the name of a new object, its uid and version from the body's metadata. */
export function completeObjectRef(ref: JsonObject, metadata: JsonObject): JsonObject {
  const { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = ref;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return filled({
    resource: text(resource),
    namespace: text(namespace) || text(metadata['namespace']),
    name: text(name) || text(metadata['name']),
    uid: text(uid) || text(metadata['uid']),
    apiGroup: text(apiGroup),
    apiVersion: text(apiVersion),
    resourceVersion: text(resourceVersion) || text(metadata['resourceVersion']),
    subresource: text(subresource),
  });
}

const filled = (members: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));

const userAgentCharactersMax = 1024;
export const boundedAgent = (agent: string): string =>
  agent.length > userAgentCharactersMax ? `${agent.slice(0, userAgentCharactersMax)}...TRUNCATED` : agent;
