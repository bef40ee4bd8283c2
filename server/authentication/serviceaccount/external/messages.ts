import { messageTypes } from '../../../../program/grpc/messageType.js';

/** Messages of the external signing service, `k8s.io/externaljwt` version v1. */
const messageType = messageTypes({
  SignJWTRequest: { fields: { claims: { type: 'string', id: 1 } } },
  SignJWTResponse: { fields: { header: { type: 'string', id: 1 }, signature: { type: 'string', id: 2 } } },
  FetchKeysRequest: { fields: {} },
  Key: { fields: { keyId: { type: 'string', id: 1 }, key: { type: 'bytes', id: 2 }, excludeFromOidcDiscovery: { type: 'bool', id: 3 } } },
  Timestamp: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } },
  FetchKeysResponse: {
    fields: {
      keys: { rule: 'repeated', type: 'Key', id: 1 },
      dataTimestamp: { type: 'Timestamp', id: 2 },
      refreshHintSeconds: { type: 'int64', id: 3 },
    },
  },
  MetadataRequest: { fields: {} },
  MetadataResponse: { fields: { maxTokenExpirationSeconds: { type: 'int64', id: 1 } } },
});

export interface SignedParts {
  readonly header: string;
  readonly signature: string;
}
export interface PublishedKey {
  readonly keyId: string;
  readonly key: Uint8Array;
  readonly excludeFromOidcDiscovery: boolean;
}
export interface PublishedKeys {
  readonly keys: readonly PublishedKey[];
  readonly dataTimestamp: { readonly seconds: number; readonly nanos: number } | null;
  readonly refreshHintSeconds: number;
}

export const signerMethods = {
  Sign: { question: messageType<{ readonly claims: string }>('SignJWTRequest'), answer: messageType<SignedParts>('SignJWTResponse') },
  FetchKeys: { question: messageType<object>('FetchKeysRequest'), answer: messageType<PublishedKeys>('FetchKeysResponse') },
  Metadata: {
    question: messageType<object>('MetadataRequest'),
    answer: messageType<{ readonly maxTokenExpirationSeconds: number }>('MetadataResponse'),
  },
} as const;

export const signerService = '/v1.ExternalJWTSigner';
