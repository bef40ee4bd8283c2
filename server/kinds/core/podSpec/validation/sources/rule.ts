import type * as v1 from '../../../../../../api/types/core/v1.js';
import { members, optional, required, type Rule, type Writable } from '../../../../language.js';

/** The members of a source that have to be set. */
export const needs = <T>(...names: readonly (keyof T & string)[]): Rule<Writable<T> | null | undefined> =>
  members<T>(Object.fromEntries(names.map((name) => [name, required()])) as Parameters<typeof members<T>>[0]);

export const namedSecret = optional(members<v1.LocalObjectReference>({ name: required() }));
