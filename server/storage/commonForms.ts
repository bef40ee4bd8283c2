import type { GroupResource } from '../../api/resource.js';
import type { Version } from './contract.js';
import type { Segment } from './segment.js';

/** An object's encodings, made by the first thread that needs them (`server/threads`). */

export interface FormSubject {
  readonly facts: { readonly resource: GroupResource };
  readonly namespace: string;
  readonly name: string;
  readonly version: Version;
}

/** Numbers stored with the bytes; zero if unused. */
export type FormNotes = readonly [number, number, number, number];

export interface MadeForm {
  readonly bytes: Buffer;
  readonly notes: FormNotes;
}

/** `segment` is null if the bytes are the caller's own. */
export interface CommonForm extends MadeForm {
  readonly segment: Segment | null;
}

export interface CommonForms {
  /** Gets the form from another thread, or makes it for all. The bytes must depend on key, version and `form` only. */
  of(subject: FormSubject, form: string, make: () => MadeForm): CommonForm;
  /** Shares an existing form without waiting. */
  put(subject: FormSubject, form: string, made: MadeForm): CommonForm;
}
