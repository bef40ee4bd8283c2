import { X509Certificate } from 'node:crypto';
import { createdAt } from '../../api/meta/object.js';
import { timeOf } from '../../api/time.js';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../api/types/certificates/v1.js';

const has = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status !== 'False') ?? false;

export const isDecided = (request: CertificateSigningRequest): boolean => has(request, 'Approved') || has(request, 'Denied');
export const isIssued = ({ status }: CertificateSigningRequest): boolean => Boolean(status?.certificate);
export const awaitsSignature = (request: CertificateSigningRequest): boolean =>
  has(request, 'Approved') && !has(request, 'Denied') && !has(request, 'Failed') && !isIssued(request);

export function withCondition(
  request: CertificateSigningRequest,
  condition: Omit<CertificateSigningRequestCondition, 'status'>,
): CertificateSigningRequest {
  const conditions = [...(request.status?.conditions ?? []), { ...condition, status: 'True' }];
  return { ...request, status: { ...request.status, conditions } };
}

const hourMs = 3_600_000;
const decidedKeptMs = hourMs;
const pendingKeptMs = 24 * hourMs;

/** Returns why a request is no longer needed; null where it may be. */
export function staleness(request: CertificateSigningRequest, now: number): 'pending' | 'denied' | 'failed' | 'issued' | 'expired' | null {
  if (isIssued(request)) {
    if (olderThan(request, 'Approved', decidedKeptMs, now)) return 'issued';
    return certificateEnds(request) < now ? 'expired' : null;
  }
  if (olderThan(request, 'Denied', decidedKeptMs, now)) return 'denied';
  if (olderThan(request, 'Failed', decidedKeptMs, now)) return 'failed';
  return !has(request, 'Denied') && !has(request, 'Failed') && !has(request, 'Approved') && now - createdAt(request) > pendingKeptMs
    ? 'pending'
    : null;
}

const olderThan = ({ status }: CertificateSigningRequest, type: string, ms: number, now: number): boolean =>
  status?.conditions?.some((condition) => condition.type === type && now - timeOf(condition.lastUpdateTime) > ms) ?? false;

function certificateEnds({ status }: CertificateSigningRequest): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64')).validTo);
  } catch {
    return Infinity;
  }
}
