import { createScope, type Compiled, type Program } from '../../../cel/environment.js';
import type { Attributes } from '../authorizer.js';
import { conditionInput } from './review.js';

const requirement = 'list<map<string, dyn>>';
const selector = { rawSelector: 'string', requirements: requirement };
const scope = createScope({
  request: {
    user: 'string',
    uid: 'string',
    groups: 'list<string>',
    extra: 'map<string, list<string>>',
    resourceAttributes: {
      namespace: 'string',
      verb: 'string',
      group: 'string',
      version: 'string',
      resource: 'string',
      subresource: 'string',
      name: 'string',
      fieldSelector: selector,
      labelSelector: selector,
    },
    nonResourceAttributes: { path: 'string', verb: 'string' },
  },
});

export const compileCondition = (expression: string): Compiled => scope.compile(expression, ['bool']);

/** Returns whether all conditions hold. A false one decides; otherwise an error counts. */
export function matches(conditions: readonly Program[], attributes: Attributes): boolean | { readonly error: string } {
  if (conditions.length === 0) return true;
  const request = conditionInput(attributes);
  let error: string | null = null;
  for (const condition of conditions) {
    const result = condition.evaluate({ request });
    if (result.ok && result.value === false) return false;
    if (!result.ok) error ??= result.message;
    else if (result.value !== true) error ??= 'a condition yields no bool';
  }
  return error === null ? true : { error: `match condition: ${error}` };
}
