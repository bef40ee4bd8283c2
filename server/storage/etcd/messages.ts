import { messageTypes, type MessageType } from '../../../program/grpc/messageType.js';
import type { Method } from '../../../program/grpc/localService.js';

/** The used part of `etcdserverpb`. Keys are declared as strings, with the same wire form. The 64-bit ids are chosen here or not read. */
const field = (type: string, id: number): object => ({ type, id });
const list = (type: string, id: number): object => ({ rule: 'repeated', type, id });

const definitions = {
  ResponseHeader: { fields: { revision: field('int64', 3), raftTerm: field('uint64', 4) } },
  KeyValue: {
    fields: {
      key: field('string', 1),
      createRevision: field('int64', 2),
      modRevision: field('int64', 3),
      version: field('int64', 4),
      value: field('bytes', 5),
    },
  },
  Event: { fields: { type: field('int32', 1), kv: field('KeyValue', 2) } },
  RangeRequest: {
    fields: {
      key: field('string', 1),
      rangeEnd: field('string', 2),
      limit: field('int64', 3),
      revision: field('int64', 4),
      serializable: field('bool', 7),
      keysOnly: field('bool', 8),
      countOnly: field('bool', 9),
    },
  },
  RangeResponse: {
    fields: { header: field('ResponseHeader', 1), kvs: list('KeyValue', 2), more: field('bool', 3), count: field('int64', 4) },
  },
  PutRequest: { fields: { key: field('string', 1), value: field('bytes', 2), lease: field('int64', 3) } },
  DeleteRangeRequest: { fields: { key: field('string', 1), rangeEnd: field('string', 2) } },
  Compare: {
    fields: {
      result: field('int32', 1),
      target: field('int32', 2),
      key: field('string', 3),
      version: field('int64', 4),
      modRevision: field('int64', 6),
    },
    // Zero must be sent, since comparisons without a value compare with nothing.
    oneofs: { value: { oneof: ['version', 'modRevision'] } },
  },
  RequestOp: {
    fields: { range: field('RangeRequest', 1), put: field('PutRequest', 2), deleteRange: field('DeleteRangeRequest', 3) },
  },
  ResponseOp: { fields: { range: field('RangeResponse', 1) } },
  TxnRequest: { fields: { compare: list('Compare', 1), success: list('RequestOp', 2), failure: list('RequestOp', 3) } },
  TxnResponse: {
    fields: { header: field('ResponseHeader', 1), succeeded: field('bool', 2), responses: list('ResponseOp', 3) },
  },
  CompactionRequest: { fields: { revision: field('int64', 1), physical: field('bool', 2) } },
  CompactionResponse: { fields: { header: field('ResponseHeader', 1) } },
  WatchCreateRequest: {
    fields: {
      key: field('string', 1),
      rangeEnd: field('string', 2),
      startRevision: field('int64', 3),
      progressNotify: field('bool', 4),
      fragment: field('bool', 8),
    },
  },
  WatchProgressRequest: { fields: {} },
  WatchRequest: { fields: { create: field('WatchCreateRequest', 1), progress: field('WatchProgressRequest', 3) } },
  WatchResponse: {
    fields: {
      header: field('ResponseHeader', 1),
      created: field('bool', 3),
      canceled: field('bool', 4),
      compactRevision: field('int64', 5),
      cancelReason: field('string', 6),
      fragment: field('bool', 7),
      events: list('Event', 11),
    },
  },
  LeaseGrantRequest: { fields: { ttlSeconds: field('int64', 1), id: field('int64', 2) } },
  LeaseGrantResponse: { fields: { header: field('ResponseHeader', 1), ttlSeconds: field('int64', 3), error: field('string', 4) } },
  StatusRequest: { fields: {} },
  StatusResponse: {
    fields: {
      header: field('ResponseHeader', 1),
      version: field('string', 2),
      dbSize: field('int64', 3),
      errors: list('string', 8),
      dbSizeInUse: field('int64', 9),
    },
  },
};

const messageType = messageTypes(definitions);

export interface Header {
  readonly revision: number;
}
export interface EtcdKeyValue {
  readonly key: string;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly value: Buffer;
}
export interface RangeRequest {
  readonly key: string;
  readonly rangeEnd?: string;
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}
export interface RangeResponse {
  readonly header: Header;
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
  /** Includes keys beyond the limit. */
  readonly count: number;
}
export type RequestOp =
  | { readonly range: RangeRequest }
  | { readonly put: { readonly key: string; readonly value: Uint8Array; readonly lease?: number } }
  | { readonly deleteRange: { readonly key: string } };
export interface Compare {
  readonly result: 0;
  /** 0 for the key's version, 2 for its modification revision. */
  readonly target: 0 | 2;
  readonly key: string;
  readonly version?: number;
  readonly modRevision?: number;
}
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}
export interface TxnResponse {
  readonly header: Header;
  readonly succeeded: boolean;
  readonly responses: readonly { readonly range: RangeResponse | null }[];
}
export interface WatchRequest {
  readonly create?: {
    readonly key: string;
    readonly rangeEnd: string;
    readonly startRevision: number;
    readonly progressNotify: boolean;
    readonly fragment: boolean;
  };
  readonly progress?: object;
}
export interface WatchEvent {
  readonly type: 0 | 1;
  readonly kv: EtcdKeyValue;
}
export interface WatchResponse {
  readonly header: Header;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** The next response continues this revision's events. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}
export interface StatusResponse {
  readonly version: string;
  readonly dbSize: number;
  readonly errors: readonly string[];
}

const method = <Q extends object, A extends object>(
  path: string,
  { question, answer }: { readonly question: string; readonly answer: string },
): Method<Q, A> => ({
  path: `/etcdserverpb.${path}`,
  question: messageType<Q>(question),
  answer: messageType<A>(answer),
});

export const range = method<RangeRequest, RangeResponse>('KV/Range', { question: 'RangeRequest', answer: 'RangeResponse' });
export const txn = method<TxnRequest, TxnResponse>('KV/Txn', { question: 'TxnRequest', answer: 'TxnResponse' });
export const compact = method<{ readonly revision: number; readonly physical?: boolean }, { readonly header: Header }>('KV/Compact', {
  question: 'CompactionRequest',
  answer: 'CompactionResponse',
});
export const leaseGrant = method<
  { readonly ttlSeconds: number; readonly id: number },
  { readonly ttlSeconds: number; readonly error: string }
>('Lease/LeaseGrant', { question: 'LeaseGrantRequest', answer: 'LeaseGrantResponse' });
export const status = method<object, StatusResponse>('Maintenance/Status', { question: 'StatusRequest', answer: 'StatusResponse' });
export const watchPath = '/etcdserverpb.Watch/Watch';
export const watchRequest: MessageType<WatchRequest> = messageType<WatchRequest>('WatchRequest');
export const watchResponse: MessageType<WatchResponse> = messageType<WatchResponse>('WatchResponse');
