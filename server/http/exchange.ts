import type { Status } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { CredentialNote } from '../../program/authentication/authenticator.js';
import { Exchange as PortExchange } from '../../program/port/exchange.js';
import { RequestLatency } from '../../program/tracing/requestLatency.js';
import type { AuditRecord } from '../audit/record.js';
import type { RequestContext } from '../endpoints/context.js';
import type { Encoders } from '../endpoints/encoders/encoders.js';

/** A request on its way through the filters, which add their results. */
export class Exchange extends PortExchange implements RequestContext {
  declare encoders?: Encoders;
  /** The authenticated user, where it impersonates another one. */
  impersonator: User | null = null;
  /** The verb of the constrained permission, or empty. */
  impersonationConstraint = '';
  audit: AuditRecord | null = null;
  readonly latency = new RequestLatency();
  /** Notes about credentials for the audit event. */
  credentialNotes: readonly CredentialNote[] = [];

  override refused(status: Status): void {
    this.audit?.refused(status);
  }
}
