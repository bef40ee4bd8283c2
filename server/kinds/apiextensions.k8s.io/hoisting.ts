import { isDeepStrictEqual } from 'node:util';
import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { objectsIn, type Writable } from '../language.js';
import { isEmpty, type Schema } from './schema/nodes.js';

/** Findings keep the old place when all versions agree: `spec.validation.openAPIV3Schema`, not `spec.versions[0].schema.openAPIV3Schema`. */

export type Spec = Writable<v1.CustomResourceDefinitionSpec>;
export type Version = Writable<v1.CustomResourceDefinitionVersion>;

const members = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Member = (typeof members)[number];

export interface Hoisted {
  /** All versions have these alike. */
  readonly shared: Pick<Version, Member>;
  /** The versions without what they share. */
  readonly versions: readonly Version[];
}

export function hoist(spec: Spec): Hoisted {
  const versions = objectsIn(spec, 'versions').map((version) => ({ ...version }));
  const shared: Hoisted['shared'] = {};
  for (const member of members) if (isShared(versions, member)) move(member, versions, shared);
  return { shared, versions };
}

function move<M extends Member>(member: M, versions: readonly Version[], shared: Pick<Version, M>): void {
  shared[member] = versions[0]?.[member];
  for (const version of versions) delete version[member];
}

function isShared([first, ...others]: readonly Version[], member: Member): boolean {
  const value = first?.[member];
  if (value === undefined || value === null || (Array.isArray(value) && isEmpty(value))) return false;
  return others.every((version) => isDeepStrictEqual(version[member], value));
}

export const schemaOf = (holder: Pick<Version, 'schema'>): Schema | null => holder.schema?.openAPIV3Schema ?? null;
