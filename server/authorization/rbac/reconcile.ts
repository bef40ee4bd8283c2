import type { ApiObject, JsonValue } from '../../../api/object.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { missingRules } from './covers.js';
import { rulesOf, type PolicyRule } from './policy.js';

export type Reconciled =
  | { readonly action: 'keep' }
  | { readonly action: 'update'; readonly object: ApiObject }
  | { readonly action: 'recreate' };

const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';
const keep: Reconciled = { action: 'keep' };

/** This annotation protects an administrator's changes from being undone. */
const isProtected = (object: ApiObject): boolean => object.metadata.annotations?.[autoupdate] === 'false';

/** Adds missing rules only: an administrator's additions stay. Aggregated rules belong to a controller. */
export function reconcileRole(current: ApiObject, wanted: ApiObject): Reconciled {
  if (isProtected(current)) return keep;
  const object = withMetadata(current, wanted);
  if (present(wanted['aggregationRule'])) {
    const selectors = itemsOf(memberAt(current, 'aggregationRule', 'clusterRoleSelectors'));
    const missing = notIn(itemsOf(memberAt(wanted, 'aggregationRule', 'clusterRoleSelectors')), selectors);
    if (missing.length > 0) object['aggregationRule'] = { clusterRoleSelectors: [...selectors, ...missing] };
  } else {
    const missing = missingRules(rulesOf(current), rulesOf(wanted));
    if (missing.length > 0) object['rules'] = [...itemsOf(current['rules']), ...missing.map(written)];
  }
  return changed(current, object);
}

/** Adds missing subjects. A binding to another role is replaced, because references are immutable. */
export function reconcileBinding(current: ApiObject, wanted: ApiObject): Reconciled {
  if (isProtected(current)) return keep;
  if (
    textAt(current, 'roleRef', 'kind') !== textAt(wanted, 'roleRef', 'kind') ||
    textAt(current, 'roleRef', 'name') !== textAt(wanted, 'roleRef', 'name')
  )
    return { action: 'recreate' };
  const object = withMetadata(current, wanted);
  const subjects = itemsOf(current['subjects']);
  const missing = notIn(itemsOf(wanted['subjects']), subjects);
  if (missing.length > 0) object['subjects'] = [...subjects, ...missing];
  return changed(current, object);
}

/** Existing labels and annotations win. */
function withMetadata(current: ApiObject, wanted: ApiObject): ApiObject {
  const { labels, annotations } = current.metadata;
  return {
    ...current,
    metadata: {
      ...current.metadata,
      labels: { ...wanted.metadata.labels, ...labels },
      annotations: { ...wanted.metadata.annotations, ...annotations },
    },
  };
}

const present = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;
const notIn = (list: readonly JsonValue[], others: readonly JsonValue[]): JsonValue[] =>
  list.filter((each) => !others.some((other) => sameValue(each, other)));
const written = (rule: PolicyRule): JsonValue =>
  Object.fromEntries(Object.entries(rule as unknown as Record<string, string[]>).filter(([, list]) => list.length > 0));

function changed(current: ApiObject, object: ApiObject): Reconciled {
  const { labels = {}, annotations = {} } = current.metadata;
  return sameValue({ ...current, metadata: { ...current.metadata, labels, annotations } }, object) ? keep : { action: 'update', object };
}
