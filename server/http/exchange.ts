import type { Status } from '../../api/status.js';
import type { User } from '../../api/user.js';
import type { CredentialNote } from '../../program/authentication/authenticator.js';
import { Exchange as PortExchange } from '../../program/port/exchange.js';
import type { AuditRecord } from '../audit/record.js';
import type { RequestContext } from '../endpoints/context.js';
import type { Encoders } from '../endpoints/encoders/encoders.js';

/** A request to the API server on its way through the filters, with what they find out. */
export class Exchange extends PortExchange implements RequestContext {
  declare encoders?: Encoders;
  /** The user that was authenticated, where another one is impersonated. */
  impersonator: User | null = null;
  /** The verb that allowed it, where one for a part of it did; empty otherwise. */
  impersonationConstraint = '';
  audit: AuditRecord | null = null;
  /** What the audit event is to tell of the credentials. */
  credentialNotes: readonly CredentialNote[] = [];

  override refused(status: Status): void {
    this.audit?.refused(status);
  }
}
