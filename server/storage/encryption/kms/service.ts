import type { Transformer } from '../transformer.js';

export interface KeyService {
  readonly name: string;
  readonly transformer: Transformer;
  /** Starts following the key in the background. */
  start(): void;
  check(): Promise<void>;
  /** Rejects unless the service encrypts, so that values can be written with it. */
  prove(): Promise<void>;
  close(): void;
}
