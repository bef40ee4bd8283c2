import type { BuiltDocument, Encoding } from '../build.js';

/** Another program's documents about one group version. */
export interface RemoteDocument {
  /** Below `/openapi/v3/`. */
  readonly path: string;
  /** The hash of the version 3 document; null when it is unavailable now. */
  readonly hash: string | null;
  /** Its part of the version 2 document as compressed JSON; null for none. */
  readonly v2: Uint8Array | null;
  /** The version 3 document. Rejects when it is unavailable. */
  document(encoding: Encoding): Promise<BuiltDocument>;
}
