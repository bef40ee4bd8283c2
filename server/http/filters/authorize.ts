import { attributesOf } from '../../authorization/authorizer.js';
import type { Authorizer } from '../../authorization/authorizer.js';
import { forbidden } from '../../authorization/forbidden.js';
import type { Exchange } from '../exchange.js';

/** Refuses what nobody allowed. Runs before anything is looked up: a refusal must not tell what exists. */
export function authorizeFilter(authorize: Authorizer): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const attributes = attributesOf(exchange.user, exchange.info, exchange.method);
    const answer = authorize(attributes);
    const { decision, reason } = answer instanceof Promise ? await answer : answer;
    if (decision !== 'allow') throw forbidden(attributes, reason);
  };
}
