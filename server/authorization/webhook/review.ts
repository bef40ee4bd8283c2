import type { JsonObject } from '../../../api/object.js';
import { parseLabelSelector } from '../../../api/selectors/index.js';
import type { Attributes } from '../authorizer.js';

/** The specification of a SubjectAccessReview v1, without empty members. */
export function reviewSpec(attributes: Attributes): JsonObject {
  const { name: user, uid, groups, extra } = attributes.user;
  return {
    ...about(attributes),
    user,
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra: extraOf(extra) }),
    ...(uid === '' ? {} : { uid }),
  };
}

function about(attributes: Attributes): JsonObject {
  if (!attributes.isResource) return { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } };
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  const texts = Object.entries({ namespace, verb, group, version, resource, subresource, name }).filter(([, text]) => text !== '');
  return { resourceAttributes: { ...Object.fromEntries(texts), ...selected(attributes) } };
}

function selected({ fields = [], labelSelector = '' }: Extract<Attributes, { isResource: true }>): JsonObject {
  const labels = labelRequirements(labelSelector);
  return {
    ...(fields.length === 0
      ? {}
      : {
          fieldSelector: {
            requirements: fields.map(({ field, equals, value }) => ({ key: field, operator: equals ? 'In' : 'NotIn', values: [value] })),
          },
        }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

const operators = { in: 'In', notIn: 'NotIn', exists: 'Exists', doesNotExist: 'DoesNotExist', gt: null, lt: null } as const;

/** Omits requirements that reviews cannot express, which allows less, never more. */
function labelRequirements(text: string): JsonObject[] {
  const parsed = text === '' ? null : parseLabelSelector(text);
  if (parsed?.ok !== true) return [];
  return parsed.selector.flatMap(({ key, operator, values }) =>
    operators[operator] === null ? [] : [{ key, operator: operators[operator], ...(values.length === 0 ? {} : { values: [...values] }) }],
  );
}

const extraOf = (extra: Readonly<Record<string, readonly string[]>>): JsonObject =>
  Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));

/** The older version spells groups in the singular. */
export function versioned(spec: JsonObject, version: 'v1' | 'v1beta1'): JsonObject {
  const { groups, ...rest } = spec;
  return version === 'v1' || groups === undefined ? spec : { ...rest, group: groups };
}

/** Returns the `request` of conditions, with all texts, even empty ones, so that expressions need no tests. */
export function conditionInput(attributes: Attributes): JsonObject {
  const { name: user, uid, groups, extra } = attributes.user;
  const common = { user, uid, groups: [...groups], extra: extraOf(extra) };
  if (!attributes.isResource) return { ...common, nonResourceAttributes: { path: attributes.path, verb: attributes.verb } };
  const { namespace, verb, group, version, resource, subresource, name } = attributes;
  return { ...common, resourceAttributes: { namespace, verb, group, version, resource, subresource, name, ...selected(attributes) } };
}
