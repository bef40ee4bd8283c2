import { noEncryptionCounts, statusOf, type EncryptionCounts, type Way } from './counts.js';

const encryptedPrefix = 'k8s:enc:';
const prefixBytes = Buffer.from(encryptedPrefix);

export const isEncrypted = (value: Uint8Array): boolean => prefixBytes.every((byte, index) => value[index] === byte);

/** External key services answer asynchronously. */
export interface Transformer {
  /** Empty for plain values. */
  readonly prefix: string;
  /** `context` is the key in the store: a moved value does not decrypt. */
  encrypt(plain: Buffer, context: string): Buffer | Promise<Buffer>;
  /** Throws UndecryptableError, or KeyServiceError if a retry may work. `sealed` follows the prefix. */
  decrypt(sealed: Buffer, context: string): Buffer | Promise<Buffer>;
  isCurrent(sealed: Buffer, context: string): boolean | Promise<boolean>;
}

export class UndecryptableError extends Error {}

export class KeyServiceError extends Error {}

/** A call to a key service that failed; the cause is its own error. */
export class KeyCallError extends KeyServiceError {
  readonly service: string;
  readonly method: string;

  constructor({ service, method }: { readonly service: string; readonly method: string }, cause: Error) {
    super(`key service ${JSON.stringify(service)} failed: ${cause.message}`, { cause });
    this.service = service;
    this.method = method;
  }
}

/** Keys may share a name. */
function makersOf(value: Buffer, transformers: readonly Transformer[]): readonly Transformer[] {
  const text = value.toString('latin1', 0, prefixBytesMax);
  const encrypted = text.startsWith(encryptedPrefix);
  return transformers.filter(({ prefix }) => (prefix === '' ? !encrypted : text.startsWith(Buffer.from(prefix).toString('latin1'))));
}

const prefixBytesMax = 1_024;
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
  return Buffer.concat([Buffer.from(prefix), encrypted]);
}

/** Throws or rejects as `decrypt` does. */
export function opened(
  value: Buffer,
  transformers: readonly Transformer[],
  context: string,
  counts: EncryptionCounts = noEncryptionCounts,
): Buffer | Promise<Buffer> {
  const makers = makersOf(value, transformers);
  if (makers.length === 0) {
    const error = new UndecryptableError('no matching prefix found: the value has the key of none of the configured providers');
    counts.transformed('from_storage', { prefix: 'unknown', status: statusOf(error) }, null);
    throw error;
  }
  return firstOf(makers, (maker) => openedBy(maker, value, context, counts));
}

function openedBy(maker: Transformer, value: Buffer, context: string, counts: EncryptionCounts): Buffer | Promise<Buffer> {
  const { prefix } = maker;
  return prefix === '' ? value : counted(() => maker.decrypt(sealedPart(value, maker), context), 'from_storage', prefix, counts);
}

const sealedPart = (value: Buffer, { prefix }: Transformer): Buffer => value.subarray(Buffer.byteLength(prefix));

/** Reports a failed key service, which may recover, before mismatching keys. */
function firstOf<T>([first, ...rest]: readonly Transformer[], attempt: (maker: Transformer) => T | Promise<T>): T | Promise<T> {
  if (rest.length === 0) return attempt(first!);
  const next = (error: unknown): T | Promise<T> => {
    if (!(error instanceof KeyServiceError)) return firstOf(rest, attempt);
    return Promise.resolve()
      .then(() => firstOf(rest, attempt))
      .catch(() => {
        throw error;
      });
  };
  try {
    const done = attempt(first!);
    return done instanceof Promise ? done.catch(next) : done;
  } catch (error) {
    return next(error);
  }
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

/** Returns whether an unchanged value should be rewritten with another key, or encrypted. */
export async function isStale(value: Buffer, transformers: readonly Transformer[], context: string): Promise<boolean> {
  const makers = makersOf(value, transformers);
  const [only] = makers;
  if (only === undefined) return true;
  const maker =
    makers.length === 1
      ? only
      : await firstOf(makers, async (each) => {
          await openedBy(each, value, context, noEncryptionCounts);
          return each;
        });
  return maker !== transformers[0] || !(await maker.isCurrent(sealedPart(value, maker), context));
}
