import { writeJson } from '../../workers/codecs/jsonWriter.js';
import type { JsonObject } from '../../api/object.js';
import { eventType } from './event.js';
import type { AuditEvent } from './event.js';

/** Encodes an event without a line end. Bodies are inserted unchanged. */
export function eventJson(event: AuditEvent): string {
  const { requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations } = event;
  const bodies = `${member('requestObject', requestObject)}${member('responseObject', responseObject)}`;
  const times = `,"requestReceivedTimestamp":"${requestReceivedTimestamp}","stageTimestamp":"${stageTimestamp}"`;
  const notes = Object.keys(annotations).length === 0 ? '' : `,"annotations":${JSON.stringify(annotations)}`;
  return `${writeJson(head(event)).slice(0, -1)}${bodies}${times}${notes}}`;
}

const member = (name: string, text: string | null): string => (text === null ? '' : `,"${name}":${text}`);

function head(event: AuditEvent): JsonObject {
  const { level, auditID, stage, requestURI, verb, user, impersonatedUser, authenticationMetadata } = event;
  const { sourceIPs, userAgent, objectRef, responseStatus } = event;
  return {
    ...eventType,
    level,
    auditID,
    stage,
    requestURI,
    verb,
    user,
    ...(impersonatedUser === null ? {} : { impersonatedUser }),
    ...(authenticationMetadata === null ? {} : { authenticationMetadata }),
    ...(sourceIPs.length === 0 ? {} : { sourceIPs: [...sourceIPs] }),
    ...(userAgent === '' ? {} : { userAgent }),
    ...(objectRef === null ? {} : { objectRef }),
    ...(responseStatus === null ? {} : { responseStatus }),
  };
}

export const eventListJson = (events: readonly string[]): string =>
  `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.join(',')}]}`;

/** The older form: one line of names and quoted values, without a line end. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, responseStatus, objectRef } = event;
  const username = textOf(user['username']);
  const fields = {
    id: event.auditID,
    stage: event.stage,
    ip: event.sourceIPs[0] ?? '<unknown>',
    method: event.verb,
    user: username || '<none>',
    groups: username === '' ? '<none>' : (groupList(user) ?? '<none>'),
    as: impersonatedUser === null ? '<self>' : textOf(impersonatedUser['username']),
    asgroups: (impersonatedUser === null ? null : groupList(impersonatedUser)) ?? '<lookup>',
    'user-agent': event.userAgent,
    namespace: textOf(objectRef?.['namespace']) || '<none>',
    uri: event.requestURI,
    response: responseStatus === null ? '<deferred>' : String(responseStatus['code']),
  };
  return `${event.requestReceivedTimestamp} AUDIT: ${Object.entries(fields)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ')}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function groupList({ groups }: JsonObject): string | null {
  return Array.isArray(groups) ? groups.map((group) => JSON.stringify(group)).join(',') : null;
}
