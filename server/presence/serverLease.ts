import { microTimeText } from '../../api/time.js';
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { ApiObject } from '../../api/object.js';
import { membersOf, textAt } from '../../api/json/members.js';

export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

export const serverLeases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace: 'kube-system' } as const;
const identityLabel = 'apiserver.kubernetes.io/identity';
const addressAnnotation = 'raftplane/advertised-address';
/** The address for forwarded requests, where it differs. */
const peerAnnotation = 'raftplane/peer-address';
const memberAnnotation = 'raftplane/member-id';
/** Time after which a lease without renewal may be removed, as in the reference. */
const leaseSeconds = 3_600;

/** A name in the certificates of all API servers. */
export const serverName = 'kubernetes.default.svc';

/** The default of `--raft-member-id`. */
const usualMemberId = 'a';

export interface ServerIdentity {
  readonly hostname: string;
  /** Distinguishes servers on one machine. */
  readonly memberId: string;
  readonly processUid: string;
  readonly address: ServerAddress;
  /** The address for other API servers (`--peer-advertise-ip`, `--peer-advertise-port`); default: the server's. */
  readonly peerAddress?: ServerAddress | null;
}

/**
 * Returns the name of a server's lease, stable over restarts. The default member id yields the reference's name (`NewConfig` in
 * `k8s.io/apiserver/pkg/server`); other ids, perhaps on the same machine, differ.
 */
export function leaseName({ hostname, memberId }: Pick<ServerIdentity, 'hostname' | 'memberId'>): string {
  const words = memberId === usualMemberId ? [hostname, 'kube-apiserver'] : [`${hostname}/${memberId}`];
  const digest = createHash('sha256')
    .update(Buffer.concat(words.length === 1 ? words.map((word) => Buffer.from(word)) : words.map(withLength)))
    .digest();
  return `apiserver-${base32(digest.subarray(0, 16))}`;
}

function withLength(text: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

/** The lease of a live server. `now` is in milliseconds since 1970. */
export function leaseOf(identity: ServerIdentity, now: number): ApiObject {
  const { hostname, processUid, address, peerAddress = null } = identity;
  const name = leaseName(identity);
  return {
    apiVersion: `${serverLeases.group}/${serverLeases.version}`,
    kind: 'Lease',
    metadata: {
      name,
      namespace: serverLeases.namespace,
      labels: { [identityLabel]: 'kube-apiserver', 'kubernetes.io/hostname': hostname },
      annotations: {
        [addressAnnotation]: written(address),
        [memberAnnotation]: identity.memberId,
        ...(peerAddress === null ? {} : { [peerAnnotation]: written(peerAddress) }),
      },
    },
    spec: { holderIdentity: `${name}_${processUid}`, leaseDurationSeconds: leaseSeconds, renewTime: microTimeText(now) },
  };
}

const written = ({ ip, port }: ServerAddress): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

const portMax = 65_535;

/** The content may be any text by a writer of leases. */
function addressIn(text: string | undefined): ServerAddress | null {
  const [, ip, port] = /^\[?([0-9A-Fa-f:.]+?)\]?:(\d{1,5})$/.exec(text ?? '') ?? [];
  if (ip === undefined || port === undefined || isIP(ip) === 0) return null;
  return Number(port) === 0 || Number(port) > portMax ? null : { ip, port: Number(port) };
}

export interface ReadLease {
  readonly address: ServerAddress;
  readonly peerAddress: ServerAddress;
  readonly memberId: string | null;
  /** Milliseconds since 1970, or null. */
  readonly renewedAt: number | null;
}

/** Null when the lease is not a server's. */
export function readLease(lease: ApiObject): ReadLease | null {
  const { labels, annotations } = lease.metadata;
  if (labels?.[identityLabel] !== 'kube-apiserver') return null;
  const address = addressIn(annotations?.[addressAnnotation]);
  if (address === null) return null;
  const renewedAt = Date.parse(textAt(membersOf(lease['spec']), 'renewTime'));
  return {
    address,
    peerAddress: addressIn(annotations?.[peerAnnotation]) ?? address,
    memberId: annotations?.[memberAnnotation] ?? null,
    renewedAt: Number.isNaN(renewedAt) ? null : renewedAt,
  };
}

/** Reports whether the lease has expired for good. */
export const isForgotten = ({ renewedAt }: ReadLease, now: number): boolean => renewedAt !== null && now - renewedAt > leaseSeconds * 1_000;

/** RFC 4648, section 6, in lower case and without padding. */
function base32(bytes: Uint8Array): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
