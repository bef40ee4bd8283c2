import { BoundedMap } from '../../api/boundedMap.js';
import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Request } from '../port/message.js';
import type { Live } from '../files/liveFile.js';

export interface Peer {
  readonly certificate: X509Certificate;
  /** Intermediate certificates that the client sent. */
  readonly between: readonly X509Certificate[];
  /** The reason for which the handshake rejected the certificate (signatures, validity, key usage), or null. */
  readonly refusal: string | null;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

/** Authorities that sign certificates of one kind of client. */
export type Anchors = readonly X509Certificate[];

const chainMax = 10;
const peers = new WeakMap<object, Peer | null>();

/** Returns null when the client presented no certificate. */
export function peerOf(request: Request): Peer | null {
  const connection = connectionOf(request);
  let peer = peers.get(connection);
  if (peer === undefined) peers.set(connection, (peer = readPeer(request.socket as TLSSocket)));
  return peer;
}

/** An HTTP/2 request has its own `socket` object; its session is permanent. */
const connectionOf = (request: Request): object => ('stream' in request ? (request.stream.session ?? request.stream) : request.socket);

function readPeer(socket: TLSSocket): Peer | null {
  if (typeof socket.getPeerX509Certificate !== 'function') return null;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  return {
    certificate,
    between: chainBehind(certificate),
    refusal: socket.authorized ? null : String(socket.authorizationError ?? 'not verified'),
    notAfter: Date.parse(certificate.validTo),
  };
}

/** Intermediate certificates from clients, which do not send them again when they resume a session. */
const chains = new BoundedMap<string, readonly X509Certificate[]>(1_000);

function chainBehind(certificate: X509Certificate): readonly X509Certificate[] {
  const between: X509Certificate[] = [];
  for (let next = certificate.issuerCertificate; next !== undefined && between.length < chainMax; next = next.issuerCertificate)
    between.push(next);
  const key = certificate.fingerprint256;
  if (between.length === 0) return chains.get(key) ?? between;
  chains.set(key, between);
  return between;
}

/** The handshake accepts all authorities for clients; this finds the signing one, once per connection and state of the file. */
export function vouchedBy(anchors: Live<Anchors>): (peer: Peer) => string | null {
  const known = new WeakMap<Peer, { readonly anchors: Anchors; readonly leads: boolean }>();
  return (peer) => {
    if (peer.refusal !== null) return peer.refusal;
    if (Date.now() > peer.notAfter) return 'CERT_HAS_EXPIRED';
    let found = known.get(peer);
    if (found?.anchors !== anchors.current)
      known.set(peer, (found = { anchors: anchors.current, leads: leadsTo(peer.certificate, new Set(peer.between), anchors.current) }));
    return found.leads ? null : 'signed by an unknown authority';
  };
}

/** An intermediate that does not lead to an anchor now never will. */
function leadsTo(certificate: X509Certificate, between: Set<X509Certificate>, anchors: Anchors): boolean {
  if (anchors.some((anchor) => anchor.fingerprint256 === certificate.fingerprint256 || isIssued(certificate, anchor))) return true;
  for (const next of between) {
    if (!next.ca || Date.now() > Date.parse(next.validTo) || !isIssued(certificate, next)) continue;
    between.delete(next);
    if (leadsTo(next, between, anchors)) return true;
  }
  return false;
}

/** Names alone prove nothing. */
const isIssued = (certificate: X509Certificate, by: X509Certificate): boolean =>
  certificate.checkIssued(by) && certificate.verify(by.publicKey);

/** Returns the unescaped values of a subject attribute, given by short name, or by number where it has none. */
export function subjectValues({ certificate }: Peer, attribute: string): string[] {
  const values = (certificate.toLegacyObject().subject as unknown as Readonly<Record<string, string | string[] | undefined>>)[attribute];
  return values === undefined ? [] : Array.isArray(values) ? values : [values];
}
