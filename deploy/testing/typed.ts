import type { KubeObject } from '../../api/meta/object.js';
import type { Kinds } from '../../api/types/kinds.js';

/** Names one object: an object itself suffices. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** Names objects of one kind, in one namespace or in all. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

type Given<R> = R extends KubeObject ? R : KubeObject;

/** The type of a built-in object by its `apiVersion` and `kind`; otherwise the given type. */
export type ObjectOf<R> = R extends { readonly apiVersion: infer V extends string; readonly kind: infer K extends string }
  ? `${V}/${K}` extends keyof Kinds
    ? Kinds[`${V}/${K}`]
    : Given<R>
  : Given<R>;

/** The same for each of several. */
export type ObjectsOf<L extends readonly unknown[]> = { [I in keyof L]: ObjectOf<L[I]> };
