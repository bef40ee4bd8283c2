import { memberId } from '../types.js';
import type { Member, MemberId, MemberRole, Membership } from '../types.js';
import type { MembershipChange } from './contract.js';
import { limits } from './limits.js';

export const emptyMembership: Membership = { members: [], removed: [] };

export function votersOf(membership: Membership): MemberId[] {
  return membership.members.filter((member) => member.role === 'voter').map((member) => member.id);
}

export function roleOf(membership: Membership, id: MemberId): MemberRole | null {
  return membership.members.find((member) => member.id === id)?.role ?? null;
}

export type ChangedMembership = { readonly ok: true; readonly membership: Membership } | { readonly ok: false; readonly reason: string };

/** Keeps old and new quorums overlapping (dissertation, section 4.1). */
export function changed(membership: Membership, change: MembershipChange): ChangedMembership {
  return changedBy(change.type, membership, change);
}

type ChangeOf = { readonly [T in MembershipChange['type']]: MembershipChange & { readonly type: T } };

const changes: { readonly [T in keyof ChangeOf]: (membership: Membership, change: ChangeOf[T]) => ChangedMembership } = {
  addLearner,
  promote,
  remove,
};

function changedBy<T extends keyof ChangeOf>(type: T, membership: Membership, change: ChangeOf[T]): ChangedMembership {
  return changes[type](membership, change);
}

function addLearner(membership: Membership, change: ChangeOf['addLearner']): ChangedMembership {
  const { id, address } = change.member;
  if (roleOf(membership, id) !== null) return refused(`${id} is a member already`);
  if (membership.removed.includes(id)) return refused(`${id} was removed from this cluster; a server joins again under a new id only`);
  if (membership.members.length >= limits.membersMax) return refused(`the cluster has ${limits.membersMax} members, which is the most`);
  return accepted([...membership.members, { id, address, role: 'learner' }], membership.removed);
}

function promote(membership: Membership, change: ChangeOf['promote']): ChangedMembership {
  const role = roleOf(membership, change.id);
  if (role === null) return refused(`${change.id} is not a member`);
  if (role === 'voter') return refused(`${change.id} is a voter already`);
  return accepted(
    membership.members.map((member) => (member.id === change.id ? { ...member, role: 'voter' } : member)),
    membership.removed,
  );
}

function remove(membership: Membership, change: ChangeOf['remove']): ChangedMembership {
  if (roleOf(membership, change.id) === null) return refused(`${change.id} is not a member`);
  const members = membership.members.filter((member) => member.id !== change.id);
  if (!members.some((member) => member.role === 'voter')) return refused(`${change.id} is the last voter`);
  if (membership.removed.length >= limits.removedMax)
    return refused(`the cluster remembers ${limits.removedMax} removed members, which is the most`);
  return accepted(members, [...membership.removed, change.id]);
}

function refused(reason: string): ChangedMembership {
  return { ok: false, reason };
}

function accepted(members: readonly Member[], removed: readonly MemberId[]): ChangedMembership {
  const byId = (a: Member, b: Member): number => (a.id < b.id ? -1 : 1);
  return { ok: true, membership: { members: [...members].sort(byId), removed: [...removed].sort() } };
}

// A membership entry holds the whole new membership, so that a server without the older entries understands it.
//
//   version 1 | members: count, then for each: role (0 learner, 1 voter), id, address | removed: count, then ids
//
// Counts and lengths are 16 bits, big-endian; texts are UTF-8 after their length.

const formatVersion = 1;
const roles: readonly MemberRole[] = ['learner', 'voter'];

export function encodeMembership(membership: Membership): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(formatVersion), number16(membership.members.length)];
  for (const member of membership.members)
    parts.push(Uint8Array.of(roles.indexOf(member.role)), ...text(member.id), ...text(member.address));
  parts.push(number16(membership.removed.length));
  for (const id of membership.removed) parts.push(...text(id));
  return Buffer.concat(parts);
}

/** Throws a RangeError with the reason if the bytes are invalid. */
export function decodeMembership(bytes: Uint8Array): Membership {
  const reader = new ByteReader(bytes);
  const version = reader.byte();
  if (version !== formatVersion) throw new RangeError(`membership entry has version ${version}; only ${formatVersion} is known`);
  const members = Array.from({ length: reader.number16() }, () => ({
    role: decodeRole(reader.byte()),
    id: memberId(reader.text()),
    address: reader.text(),
  }));
  const removed = Array.from({ length: reader.number16() }, () => memberId(reader.text()));
  reader.end();
  return { members, removed };
}

function decodeRole(code: number): MemberRole {
  const role = roles[code];
  if (role === undefined) throw new RangeError(`membership entry has the unknown role ${code}`);
  return role;
}

function number16(value: number): Uint8Array {
  if (value > 0xffff) throw new RangeError(`${value} does not fit into 16 bits of a membership entry`);
  return Uint8Array.of(value >> 8, value & 0xff);
}

function text(value: string): [Uint8Array, Uint8Array] {
  const bytes = Buffer.from(value, 'utf8');
  return [number16(bytes.length), bytes];
}

class ByteReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#take(1)[0] ?? 0;
  }

  number16(): number {
    return this.byte() * 256 + this.byte();
  }

  text(): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.#take(this.number16()));
  }

  end(): void {
    if (this.#position !== this.#bytes.length)
      throw new RangeError(`membership entry has ${this.#bytes.length - this.#position} bytes too many`);
  }

  #take(count: number): Uint8Array {
    const part = this.#bytes.subarray(this.#position, this.#position + count);
    if (part.length < count) throw new RangeError(`membership entry ends after ${this.#bytes.length} bytes, inside a value`);
    this.#position += count;
    return part;
  }
}
