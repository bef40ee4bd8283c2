import type { ApiObject, JsonObject } from '../../api/object.js';
import type { GroupResource } from '../../api/resource.js';
import { objectAt } from '../../registry/defaulting.js';
import { itemsOf, textAt } from '../../registry/members.js';
import { amountsOf, type Amounts } from '../../kinds/core/pod/totals.js';
import type { StoredObject } from '../../storage/contract.js';
import type { LimitedResource } from './configuration.js';
import { countedFor, inScope, inScopes, scopesOf } from './matching.js';

/** A write, and the quotas of its namespace. */
export interface LimitedUse {
  readonly limited: readonly LimitedResource[];
  readonly quotas: readonly StoredObject[];
  /** What the write uses more than before. */
  readonly usage: Amounts;
  readonly object: ApiObject;
  readonly resource: GroupResource;
}

/** Says what a write uses that no quota counts although it has to be counted, or null. Pure. */
export function uncovered({ limited, quotas, usage, object, resource }: LimitedUse): string | null {
  const rules = limited.filter((rule) => rule.group === resource.group && rule.resource === resource.resource);
  if (rules.length === 0) return null;
  const covering = quotas.map((stored) => stored.decode()).filter((quota) => inScopes(object, resource, quota));
  const counted = new Set(
    covering.flatMap((quota) => countedFor(resource, [...amountsOf(objectAt(objectAt(quota, 'status') ?? {}, 'hard')).keys()])),
  );
  const names = [...usage.keys()]
    .filter((name) => rules.some(({ contains }) => contains.some((part) => name.includes(part))) && !counted.has(name))
    .sort();
  if (names.length > 0) return `insufficient quota to consume: ${names.join(',')}`;
  const known = new Set(
    quotas
      .flatMap((stored) => scopesOf(stored.decode()))
      .filter((scope) => inScope(object, resource, scope))
      .map(nameOf),
  );
  const scopes = rules.flatMap((rule) => rule.scopes).filter((scope) => inScope(object, resource, scope) && !known.has(nameOf(scope)));
  return scopes.length === 0 ? null : `insufficient quota to match these scopes: [${scopes.map(shown).join(' ')}]`;
}

const nameOf = (scope: JsonObject): string => textAt(scope, 'scopeName');
const shown = (scope: JsonObject): string => `{${nameOf(scope)} ${textAt(scope, 'operator')} [${itemsOf(scope['values']).join(' ')}]}`;
