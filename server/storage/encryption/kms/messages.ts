import { messageTypes } from '../../../../program/grpc/messageType.js';

/** `k8s.io/kms`: v1beta1 (v1 in configurations), v2, and the envelope of v2 values. */
const messageType = messageTypes({
  v1beta1: {
    nested: {
      EncryptRequest: { fields: { version: { type: 'string', id: 1 }, plain: { type: 'bytes', id: 2 } } },
      EncryptResponse: { fields: { cipher: { type: 'bytes', id: 1 } } },
      DecryptRequest: { fields: { version: { type: 'string', id: 1 }, cipher: { type: 'bytes', id: 2 } } },
      DecryptResponse: { fields: { plain: { type: 'bytes', id: 1 } } },
      VersionRequest: { fields: { version: { type: 'string', id: 1 } } },
      VersionResponse: {
        fields: { version: { type: 'string', id: 1 }, runtimeName: { type: 'string', id: 2 }, runtimeVersion: { type: 'string', id: 3 } },
      },
    },
  },
  v2: {
    nested: {
      StatusRequest: { fields: {} },
      StatusResponse: {
        fields: { version: { type: 'string', id: 1 }, healthz: { type: 'string', id: 2 }, keyId: { type: 'string', id: 3 } },
      },
      EncryptRequest: { fields: { plaintext: { type: 'bytes', id: 1 }, uid: { type: 'string', id: 2 } } },
      EncryptResponse: {
        fields: {
          ciphertext: { type: 'bytes', id: 1 },
          keyId: { type: 'string', id: 2 },
          annotations: { keyType: 'string', type: 'bytes', id: 3 },
        },
      },
      DecryptRequest: {
        fields: {
          ciphertext: { type: 'bytes', id: 1 },
          uid: { type: 'string', id: 2 },
          keyId: { type: 'string', id: 3 },
          annotations: { keyType: 'string', type: 'bytes', id: 4 },
        },
      },
      DecryptResponse: { fields: { plaintext: { type: 'bytes', id: 1 } } },
      /** `encryptedDEKSourceType`: 0 for an AES-GCM key, 1 for a seed from which each value's key is derived. */
      EncryptedObject: {
        fields: {
          encryptedData: { type: 'bytes', id: 1 },
          keyId: { type: 'string', id: 2 },
          encryptedDekSource: { type: 'bytes', id: 3 },
          annotations: { keyType: 'string', type: 'bytes', id: 4 },
          encryptedDekSourceType: { type: 'int32', id: 5 },
        },
      },
    },
  },
});

export type Annotations = Readonly<Record<string, Uint8Array>>;

interface Plain {
  readonly plain: Uint8Array;
}

export const v1 = {
  encryptRequest: messageType<Plain & { readonly version: string }>('v1beta1.EncryptRequest'),
  encryptResponse: messageType<{ readonly cipher: Uint8Array }>('v1beta1.EncryptResponse'),
  decryptRequest: messageType<{ readonly version: string; readonly cipher: Uint8Array }>('v1beta1.DecryptRequest'),
  decryptResponse: messageType<Plain>('v1beta1.DecryptResponse'),
  versionRequest: messageType<{ readonly version: string }>('v1beta1.VersionRequest'),
  versionResponse: messageType<{ readonly version: string; readonly runtimeName: string; readonly runtimeVersion: string }>(
    'v1beta1.VersionResponse',
  ),
};

export interface EncryptedObject {
  readonly encryptedData: Uint8Array;
  readonly keyId: string;
  readonly encryptedDekSource: Uint8Array;
  readonly annotations: Annotations;
  readonly encryptedDekSourceType: number;
}

export const v2 = {
  statusRequest: messageType<object>('v2.StatusRequest'),
  statusResponse: messageType<{ readonly version: string; readonly healthz: string; readonly keyId: string }>('v2.StatusResponse'),
  encryptRequest: messageType<{ readonly plaintext: Uint8Array; readonly uid: string }>('v2.EncryptRequest'),
  encryptResponse: messageType<{ readonly ciphertext: Uint8Array; readonly keyId: string; readonly annotations: Annotations }>(
    'v2.EncryptResponse',
  ),
  decryptRequest: messageType<{
    readonly ciphertext: Uint8Array;
    readonly uid: string;
    readonly keyId: string;
    readonly annotations: Annotations;
  }>('v2.DecryptRequest'),
  decryptResponse: messageType<{ readonly plaintext: Uint8Array }>('v2.DecryptResponse'),
  encryptedObject: messageType<EncryptedObject>('v2.EncryptedObject'),
};
