import { inScope, inScopes, scopesOf } from '../../../api/quota/scopes.js';
import { countedFor } from '../../../api/quota/usage.js';
import type { ResourceQuota, ScopedResourceSelectorRequirement as Scope } from '../../../api/types/core/v1.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { qualifiedName, type GroupResource } from '../../../api/resource.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { amountsOf, type Amounts } from '../../kinds/core/pod/totals.js';
import type { StoredObject } from '../../storage/contract.js';
import type { LimitedResource } from './configuration.js';

export interface LimitedUse {
  readonly limited: readonly LimitedResource[];
  readonly quotas: readonly StoredObject[];
  /** The whole use of the object. */
  readonly usage: Amounts;
  readonly object: KubeObject;
  readonly resource: GroupResource;
}

/** Why a write is refused. For uncovered scopes the reference answers 500. */
export interface Uncovered {
  readonly isForbidden: boolean;
  readonly message: string;
}

export function uncovered({ limited, quotas, usage, object, resource }: LimitedUse): Uncovered | null {
  const rules = limited.filter((rule) => rule.group === resource.group && rule.resource === resource.resource);
  if (rules.length === 0) return null;
  const source = qualifiedName(resource);
  const covering = quotas.map((stored) => stored.decode()).filter((quota) => inScopes(quota as ResourceQuota, source, object));
  const counted = new Set(
    covering.flatMap((quota) => countedFor(source, [...amountsOf(objectAt(objectAt(quota, 'status') ?? {}, 'hard')).keys()])),
  );
  const names = [...usage.keys()]
    .filter((name) => rules.some(({ contains }) => contains.some((part) => name.includes(part))) && !counted.has(name))
    .sort();
  if (names.length > 0) return { isForbidden: true, message: `insufficient quota to consume: ${names.join(',')}` };
  const known = new Set(
    quotas
      .flatMap((stored) => scopesOf(stored.decode() as ResourceQuota))
      .filter((scope) => inScope(scope, source, object))
      .map(nameOf),
  );
  const scopes = rules
    .flatMap((rule) => rule.scopes as unknown as readonly Scope[])
    .filter((scope) => inScope(scope, source, object) && !known.has(nameOf(scope)));
  return scopes.length === 0
    ? null
    : { isForbidden: false, message: `insufficient quota to match these scopes: [${scopes.map(shown).join(' ')}]` };
}

const nameOf = ({ scopeName }: Scope): string => scopeName;
const shown = ({ scopeName, operator, values }: Scope): string => `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`;
