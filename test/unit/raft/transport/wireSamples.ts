import type { Message, MessageBody } from '../../../../raft/core/messages.js';
import type { Command } from '../../../../raft/store/contract.js';
import type { Forward } from '../../../../raft/transport/contract.js';
import type { Hello, Refusal, RefusalCode } from '../../../../raft/transport/handshake.js';
import { logIndex, memberId, revision, term, type EntryKind } from '../../../../raft/types.js';

export const from = memberId('a');
export const to = memberId('b');
const large = 2 ** 40 + 7;
const index = logIndex(large);
const inTerm = term(300);
const data = new Uint8Array([0, 1, 127, 128, 255]);
const campaign = { lastIndex: index, lastTerm: inTerm };
const kinds: readonly EntryKind[] = ['noop', 'command', 'membership'];
const membership = {
  members: [
    { id: from, role: 'voter' as const, address: '10.0.0.1:2380' },
    { id: to, role: 'learner' as const, address: '' },
  ],
  removed: [memberId('c')],
};

const bodies: { readonly [T in MessageBody['type']]: readonly (MessageBody & { readonly type: T })[] } = {
  preVote: [{ type: 'preVote', ...campaign, transfer: false }],
  vote: [{ type: 'vote', ...campaign, transfer: true }],
  preVoteReply: [{ type: 'preVoteReply', granted: true }],
  voteReply: [{ type: 'voteReply', granted: false }],
  append: [
    {
      type: 'append',
      previousIndex: index,
      previousTerm: inTerm,
      commit: index,
      round: large,
      entries: kinds.map((kind, place) => ({ index: logIndex(large + 1 + place), term: inTerm, kind, data })),
    },
  ],
  appendReply: [
    { type: 'appendReply', round: 5, result: { accepted: true, match: index } },
    { type: 'appendReply', round: 5, result: { accepted: false, rejected: index, hintIndex: logIndex(3), hintTerm: inTerm } },
  ],
  installSnapshot: [{ type: 'installSnapshot', snapshot: { index, term: inTerm, membership } }],
  readIndex: [{ type: 'readIndex', id: 9 }],
  readIndexReply: [
    { type: 'readIndexReply', id: 9, index },
    { type: 'readIndexReply', id: 9, index: null },
  ],
  timeoutNow: [{ type: 'timeoutNow' }],
};

export const messages: readonly Message[] = Object.values(bodies)
  .flat()
  .map((body) => ({ from, to, term: inTerm, ...body }) as Message);

export const forwards: readonly Forward[] = [
  { type: 'propose', term: inTerm, session: '0123456789abcdef', attempt: 2, part: 1, proposals: [{ sequence: large, command: data }] },
  { type: 'refused', term: inTerm, session: '0123456789abcdef', attempt: 2, refusedFrom: 4, leads: true },
];

const identity = { clusterId: 'cluster', id: from, incarnation: 'incarnation' };
export const hellos: readonly Hello[] = [
  { version: 1, ...identity, to, purpose: 'messages', address: '10.0.0.1:2380' },
  { version: 1, ...identity, to, purpose: 'snapshot', address: '' },
];

const codes: Readonly<Record<RefusalCode, true>> = {
  version: true,
  cluster: true,
  addressee: true,
  certificate: true,
  removed: true,
  incarnation: true,
  alone: true,
};
export const refusals: readonly Refusal[] = (Object.keys(codes) as RefusalCode[]).map((code) => ({ code, reason: `because ${code}` }));

/** Shared data in messages and in the log. */
export const commands: readonly Command[] = [
  { type: 'compact', revision: revision(large) },
  {
    type: 'transaction',
    transaction: {
      comparisons: [{ key: '/a', modRevision: revision(0) }],
      operations: [
        { type: 'put', key: '/a', value: data },
        { type: 'delete', key: '/ä' },
      ],
    },
  },
];
