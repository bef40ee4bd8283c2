import type { BuiltDocument, Encoding } from '../build.js';

/** What is known of the documents of another program about one version of a group that it serves. */
export interface RemoteDocument {
  /** Below `/openapi/v3/`. */
  readonly path: string;
  /** Of the document of version 3; null when it cannot be shown now. */
  readonly hash: string | null;
  /** Its part of the document of version 2: JSON, compressed; null for programs that have none. */
  readonly v2: Uint8Array | null;
  /** The document of version 3. Rejects when it cannot be had. */
  document(encoding: Encoding): Promise<BuiltDocument>;
}
