import type { Transformer } from '../transformer.js';

export interface KeyService {
  readonly name: string;
  readonly version: 'v1' | 'v2';
  readonly transformer: Transformer;
  /** Starts following the key in the background. */
  start(): void;
  check(): Promise<void>;
  prove(): Promise<void>;
  close(): void;
}
