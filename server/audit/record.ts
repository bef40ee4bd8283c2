import { microTimeText } from '../../api/time.js';
import { isObject } from '../../api/json/json.js';
import type { JsonObject } from '../../api/object.js';
import type { Status } from '../../api/status.js';
import type { User } from '../../api/user.js';
import { attributesOf } from '../authorization/authorizer.js';
import type { AuditTrail } from '../../api/auditTrail.js';
import type { Request } from '../../program/port/message.js';
import type { RequestInfo } from '../../api/requestInfo.js';
import { bodyOfJson, bodyText } from './bodies.js';
import { boundedAgent, completeObjectRef, objectRefOf, reaches, userObject } from './event.js';
import type { AuditEvent, Stage } from './event.js';
import type { Extent } from './rules.js';
import { sourceIPs } from './sources.js';

export interface Audited {
  readonly request: Request;
  readonly method: string;
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly user: User;
  /** The authenticated user, where it impersonates another one. */
  readonly impersonator: User | null;
  /** Empty for the unconstrained permission. */
  readonly impersonationConstraint?: string;
}

const annotationCharactersMax = 10_000;

/** Collects the content of one request's events. */
export class AuditRecord implements AuditTrail {
  readonly #audited: Audited;
  readonly #extent: Extent;
  readonly #receivedAt: string;
  readonly #annotations: Record<string, string> = {};
  #objectRef: JsonObject | null;
  #status: Status | null = null;
  #failure: string | null = null;
  #early: JsonObject | null = null;
  ending: 'ResponseComplete' | 'Panic' = 'ResponseComplete';
  #requestBody: string | null = null;
  #responseBody: string | null = null;

  constructor(audited: Audited, extent: Extent, receivedAtMs: number) {
    this.#audited = audited;
    this.#extent = extent;
    this.#receivedAt = microTimeText(receivedAtMs);
    this.#objectRef = objectRefOf(audited.info);
  }

  get wantsResponse(): boolean {
    return reaches(this.#extent.level, 'RequestResponse');
  }

  wants(stage: Stage): boolean {
    return this.#extent.stages.has(stage);
  }

  requestBody(value: unknown): void {
    if (this.#objectRef !== null && isObject<JsonObject>(value) && isObject<JsonObject>(value['metadata']))
      this.#objectRef = completeObjectRef(this.#objectRef, value['metadata']);
    if (reaches(this.#extent.level, 'Request')) this.#requestBody = bodyText(value, this.#extent.omitManagedFields);
  }

  responseBody(makeJson: () => Buffer): void {
    if (this.wantsResponse) this.#responseBody = bodyOfJson(makeJson(), this.#extent.omitManagedFields);
  }

  refused(status: Status): void {
    this.#status = status;
    this.responseBody(() => Buffer.from(JSON.stringify(status)));
  }

  /** Records the refused authentication methods in the response status. */
  failedAuthentication(message: string): void {
    this.#failure = message;
  }

  /** Stands for the status of a response that never began (endpoints/filters/audit.go). */
  closedEarly(): void {
    this.#early = { metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 };
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    // The first annotation of a key stays, so that later steps cannot reword decisions.
    if (key in this.#annotations || (level !== undefined && !reaches(this.#extent.level, level))) return;
    this.#annotations[key] = level === undefined ? value.slice(0, annotationCharactersMax) : value;
  }

  /** `code` is the response code, or null before the response. */
  event(stage: Stage, code: number | null, nowMs: number): AuditEvent {
    const { request, info, method, auditId, user, impersonator, impersonationConstraint = '' } = this.#audited;
    return {
      level: this.#extent.level,
      auditID: auditId,
      stage,
      requestURI: request.url ?? '',
      verb: attributesOf(user, info, method).verb,
      user: userObject(impersonator ?? user),
      impersonatedUser: impersonator === null ? null : userObject(user),
      authenticationMetadata: impersonationConstraint === '' ? null : { impersonationConstraint },
      sourceIPs: sourceIPs(request),
      userAgent: boundedAgent(request.headers['user-agent'] ?? ''),
      objectRef: this.#objectRef,
      responseStatus: code === null ? null : this.#responseStatus(code),
      requestObject: this.#requestBody,
      responseObject: this.#responseBody,
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: microTimeText(nowMs),
      annotations: { ...this.#annotations },
    };
  }

  #responseStatus(code: number): JsonObject {
    if (this.#early !== null) return this.#early;
    if (this.#failure !== null) return { metadata: {}, message: this.#failure, code };
    if (this.#status === null) return { metadata: {}, code };
    const { status, message, reason, details } = this.#status;
    return { metadata: {}, status, message, reason, ...(details === undefined ? {} : { details: details as unknown as JsonObject }), code };
  }
}
