import type { Transformer } from '../transformer.js';

/** A key service and its transformer. */
export interface KeyService {
  readonly name: string;
  readonly transformer: Transformer;
  /** Starts following the key in the background. */
  start(): void;
  /** Rejects if the service does not work. */
  check(): Promise<void>;
  /** Rejects unless the service encrypts, so that values can be written with it. */
  prove(): Promise<void>;
  close(): void;
}
