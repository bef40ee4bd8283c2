import type { Transformer } from '../transformer.js';

/** A service that keeps keys, and the transformer that works with it. */
export interface KeyService {
  readonly name: string;
  readonly transformer: Transformer;
  /** Begins to look after the key in the background. */
  start(): void;
  /** Rejects when the service does not work. */
  check(): Promise<void>;
  /** Rejects unless the service works and encrypts, so that values can be written with it. */
  prove(): Promise<void>;
  close(): void;
}
