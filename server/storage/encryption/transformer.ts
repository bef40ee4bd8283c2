import { noEncryptionCounts, statusOf, type EncryptionCounts, type Way } from './counts.js';

/** What every encrypted value begins with; nothing that is stored in plain does. */
const encryptedPrefix = 'k8s:enc:';
const prefixBytes = Buffer.from(encryptedPrefix);

/** Whether a value, as it is stored, is encrypted. */
export const isEncrypted = (value: Uint8Array): boolean => prefixBytes.every((byte, index) => value[index] === byte);

/** One way to keep values: a cipher with one key. Ciphers whose keys are kept elsewhere answer later. */
export interface Transformer {
  /** What its values begin with; empty for plain ones. */
  readonly prefix: string;
  /** `context` is the key in the store: a value that was moved to another key does not decrypt, where the cipher can tell. */
  encrypt(plain: Buffer, context: string): Buffer | Promise<Buffer>;
  /** Throws, or rejects with, an UndecryptableError, or a KeyServiceError when it may work later. `sealed` is what follows the prefix. */
  decrypt(sealed: Buffer, context: string): Buffer | Promise<Buffer>;
  /** Whether a value would still be encrypted with the same key. */
  isCurrent(sealed: Buffer): boolean;
}

/** A value that no key that is configured decrypts. */
export class UndecryptableError extends Error {}

/** The service that keeps the keys does not do its work at the moment. */
export class KeyServiceError extends Error {}

/** The transformer that has made a value, or null. */
function makerOf(value: Buffer, transformers: readonly Transformer[]): Transformer | null {
  const text = value.toString('latin1', 0, prefixCharactersMax);
  const encrypted = text.startsWith(encryptedPrefix);
  return transformers.find(({ prefix }) => (prefix === '' ? !encrypted : text.startsWith(prefix))) ?? null;
}

/** Longer than any prefix: names of keys are bounded when the configuration is read. */
const prefixCharactersMax = 512;
export const keyNameCharactersMax = 256;

export async function sealed(
  plain: Buffer,
  transformer: Transformer,
  context: string,
  counts: EncryptionCounts = noEncryptionCounts,
): Promise<Buffer> {
  const { prefix } = transformer;
  if (prefix === '') return plain;
  const encrypted = await counted(() => transformer.encrypt(plain, context), 'to_storage', prefix, counts);
  return Buffer.concat([Buffer.from(prefix, 'latin1'), encrypted]);
}

/** The plain value. Throws or rejects as `decrypt` does. */
export function opened(
  value: Buffer,
  transformers: readonly Transformer[],
  context: string,
  counts: EncryptionCounts = noEncryptionCounts,
): Buffer | Promise<Buffer> {
  const maker = makerOf(value, transformers);
  if (maker === null) {
    const error = new UndecryptableError('no matching key was found among those that are configured');
    counts.transformed('from_storage', { prefix: 'unknown', status: statusOf(error) }, null);
    throw error;
  }
  const { prefix } = maker;
  return prefix === '' ? value : counted(() => maker.decrypt(value.subarray(prefix.length), context), 'from_storage', prefix, counts);
}

function counted(work: () => Buffer | Promise<Buffer>, way: Way, prefix: string, counts: EncryptionCounts): Buffer | Promise<Buffer> {
  const begun = performance.now();
  const good = (value: Buffer): Buffer => {
    counts.transformed(way, { prefix, status: 'OK' }, (performance.now() - begun) / 1000);
    return value;
  };
  const bad = (error: unknown): never => {
    counts.transformed(way, { prefix, status: statusOf(error) }, null);
    throw error;
  };
  let done: Buffer | Promise<Buffer>;
  try {
    done = work();
  } catch (error) {
    return bad(error);
  }
  return done instanceof Promise ? done.then(good, bad) : good(done);
}

/** Whether a value should be written anew although nothing in it has changed: with another key, or with any at all. */
export function isStale(value: Buffer, transformers: readonly Transformer[]): boolean {
  const maker = makerOf(value, transformers);
  return maker === null || maker !== transformers[0] || !maker.isCurrent(value.subarray(maker.prefix.length));
}
