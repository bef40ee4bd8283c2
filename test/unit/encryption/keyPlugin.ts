import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import path from 'node:path';
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import type { MessageType } from '../../../server/grpc/messageType.js';
import { v1, v2 } from '../../../server/storage/encryption/kms/messages.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** A key service on a socket, of both versions, with a key that changes on demand. */
export class KeyPlugin {
  readonly endpoint = `unix://${path.join(temporaryDirectory('kms'), 'kms.sock')}`;
  /** Calls so far, by name of the method. */
  readonly calls: Record<string, number> = {};
  keyId = 'key-1';
  broken = false;
  readonly #keys = new Map<string, Buffer>();
  readonly #server = new Server();

  constructor() {
    this.#serve('/v1beta1.KeyManagementService', {
      Version: method(v1.versionRequest, v1.versionResponse, () => ({ version: 'v1beta1', runtimeName: 'test', runtimeVersion: '1' })),
      Encrypt: method(v1.encryptRequest, v1.encryptResponse, ({ plain }) => ({ cipher: this.#encrypt(plain) })),
      Decrypt: method(v1.decryptRequest, v1.decryptResponse, ({ cipher }) => ({ plain: this.#decrypt(cipher) })),
    });
    this.#serve('/v2.KeyManagementService', {
      Status: method(v2.statusRequest, v2.statusResponse, () => ({ version: 'v2', healthz: 'ok', keyId: this.keyId })),
      Encrypt: method(v2.encryptRequest, v2.encryptResponse, ({ plaintext }) => ({ ciphertext: this.#encrypt(plaintext), keyId: this.keyId, annotations: { 'hint.test': Buffer.from(this.keyId) } })),
      Decrypt: method(v2.decryptRequest, v2.decryptResponse, ({ ciphertext, keyId, annotations }) => {
        if (Buffer.from(annotations['hint.test'] ?? []).toString() !== keyId) throw new Error('the annotations did not come back');
        return { plaintext: this.#decrypt(ciphertext) };
      }),
    });
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(this.endpoint, ServerCredentials.createInsecure(), (error) => { if (error) reject(error); else resolve(); });
    });
  }

  stop(): void { this.#server.forceShutdown(); }

  #key(id: string): Buffer {
    const key = this.#keys.get(id) ?? randomBytes(32);
    this.#keys.set(id, key);
    return key;
  }

  #encrypt(plain: Uint8Array): Buffer {
    const nonce = randomBytes(16);
    return Buffer.concat([Buffer.from(this.keyId), nonce, createCipheriv('aes-256-ctr', this.#key(this.keyId), nonce).update(plain)]);
  }

  #decrypt(cipher: Uint8Array): Buffer {
    const bytes = Buffer.from(cipher);
    const id = bytes.toString('latin1', 0, this.keyId.length);
    const rest = bytes.subarray(this.keyId.length);
    return createDecipheriv('aes-256-ctr', this.#key(id), rest.subarray(0, 16)).update(rest.subarray(16));
  }

  #serve(service: string, methods: Readonly<Record<string, Method>>): void {
    const definition = Object.fromEntries(Object.entries(methods).map(([name, { question, answer }]) => [name, {
      path: `${service}/${name}`, requestStream: false, responseStream: false, requestSerialize: question.encode, requestDeserialize: question.decode, responseSerialize: answer.encode, responseDeserialize: answer.decode,
    }]));
    this.#server.addService(definition, Object.fromEntries(Object.entries(methods).map(([name, { handle }]) => [name, (call: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => {
      this.calls[name] = (this.calls[name] ?? 0) + 1;
      try {
        if (this.broken) throw new Error('out of order');
        done(null, handle(call.request));
      } catch (error) {
        done({ code: status.INTERNAL, details: (error as Error).message });
      }
    }])));
  }
}

interface Method { readonly question: MessageType<object>; readonly answer: MessageType<object>; readonly handle: (question: object) => object }

/** The types of question and answer are known here and forgotten behind. */
const method = <Q extends object, A extends object>(question: MessageType<Q>, answer: MessageType<A>, handle: (question: Q) => A): Method =>
  ({ question: question as unknown as MessageType<object>, answer: answer as unknown as MessageType<object>, handle: handle as unknown as (question: object) => object });
