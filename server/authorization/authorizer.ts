import { parseFieldSelector, type FieldSelector } from '../../api/selectors/index.js';
import type { User } from '../../api/user.js';
import type { RequestInfo } from '../../api/requestInfo.js';

export type Attributes =
  | { readonly isResource: false; readonly user: User; readonly verb: string; readonly path: string }
  | {
      readonly isResource: true;
      readonly user: User;
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly namespace: string;
      readonly resource: string;
      readonly subresource: string;
      readonly name: string;
      /** The field selector of a list, watch or deletecollection, if it can be parsed. */
      readonly fields?: FieldSelector;
      /** Unparsed; only webhooks and reviews parse it. */
      readonly labelSelector?: string;
    };

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Shown to clients after the refusal, or empty. */
  readonly reason: string;
  /** An error that prevented a decision: a refused request may be worth a retry. */
  readonly error?: string;
}

export type Authorizer = (attributes: Attributes) => Decision | Promise<Decision>;

export function attributesOf(user: User, info: RequestInfo, method: string): Attributes {
  if (!info.isResource) return { isResource: false, user, verb: method.toLowerCase(), path: info.path };
  const { group, version, namespace, resource, subresource, name } = info;
  return {
    isResource: true,
    user,
    verb: ruleVerbs.get(info.verb) ?? info.verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    ...selectedFields(info.fieldSelector),
    ...(info.labelSelector === undefined ? {} : { labelSelector: info.labelSelector }),
  };
}

/** An unreadable selector counts as absent; the request itself is refused later. */
function selectedFields(text: string | undefined): { readonly fields?: FieldSelector } {
  if (text === undefined) return {};
  const parsed = parseFieldSelector(text);
  return parsed.ok ? { fields: parsed.selector } : {};
}

/** HEAD counts as GET, other unknown methods have no verb. */
const ruleVerbs: ReadonlyMap<string, string> = new Map([
  ['head', 'get'],
  ['options', ''],
  ['connect', ''],
  ['other', ''],
]);

/** Asks authorizers in order; the first allow or deny counts. Without one, refuses with all reasons. Synchronous unless an authorizer must wait. */
export function firstDecision(authorizers: readonly Authorizer[]): Authorizer {
  return (attributes) => ask(authorizers, 0, attributes, { reasons: [], errors: [] });
}

function ask(authorizers: readonly Authorizer[], from: number, attributes: Attributes, heard: Heard): Decision | Promise<Decision> {
  for (let i = from; i < authorizers.length; i++) {
    const answer = authorizers[i]!(attributes);
    if (answer instanceof Promise) {
      return answer.then((decision) =>
        settles(decision, heard) ? withErrors(decision, heard) : ask(authorizers, i + 1, attributes, heard),
      );
    }
    if (settles(answer, heard)) return withErrors(answer, heard);
  }
  return withErrors({ decision: 'noOpinion', reason: heard.reasons.join('\n') }, heard);
}

interface Heard {
  readonly reasons: string[];
  readonly errors: string[];
}

function withErrors(decision: Decision, { errors }: Heard): Decision {
  const all = decision.error === undefined || errors.includes(decision.error) ? errors : [...errors, decision.error];
  return all.length === 0 ? decision : { ...decision, error: all.join(', ') };
}

function settles({ decision, reason, error }: Decision, { reasons, errors }: Heard): boolean {
  if (decision !== 'noOpinion') return true;
  if (error !== undefined) errors.push(error);
  if (reason !== '') reasons.push(reason);
  return false;
}
