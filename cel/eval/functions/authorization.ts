import type { AuthorizationAnswer, AuthorizationQuestion } from '../../admissionValues.js';
import type { User } from '../../../api/user.js';
import { Failure, noOverload, Opaque, type Value } from '../values.js';
import type { Implementation, Library } from './library.js';

/** Answers, or throws: the check then runs first, and the expression is evaluated again. */
export type Answer = (question: AuthorizationQuestion) => AuthorizationAnswer;

type ResourceQuestion = Omit<Extract<AuthorizationQuestion, { isResource: true }>, 'isResource' | 'user' | 'verb'>;

abstract class Step extends Opaque {
  override equals(other: Opaque): boolean {
    return other === this;
  }
}

export class AuthorizerValue extends Step {
  readonly typeName = 'kubernetes.authorization.Authorizer';
  constructor(
    readonly user: User,
    readonly answer: Answer,
  ) {
    super();
  }
}

class PathCheck extends Step {
  readonly typeName = 'kubernetes.authorization.PathCheck';
  constructor(
    readonly authorizer: AuthorizerValue,
    readonly path: string,
  ) {
    super();
  }
}

class GroupCheck extends Step {
  readonly typeName = 'kubernetes.authorization.GroupCheck';
  constructor(
    readonly authorizer: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
}

export class ResourceCheck extends Step {
  readonly typeName = 'kubernetes.authorization.ResourceCheck';
  constructor(
    readonly authorizer: AuthorizerValue,
    readonly question: ResourceQuestion,
  ) {
    super();
  }
  with(change: Partial<ResourceQuestion>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.question, ...change });
  }
}

class DecisionValue extends Step {
  readonly typeName = 'kubernetes.authorization.Decision';
  constructor(readonly answer: AuthorizationAnswer) {
    super();
  }
}

const nameText = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

function serviceAccount([authorizer, namespace, name]: readonly Value[]): Value {
  if (!(authorizer instanceof AuthorizerValue) || typeof namespace !== 'string' || typeof name !== 'string') return noOverload;
  if (!nameText.test(name)) return new Failure(`Invalid service account name: ${name}`);
  if (!nameText.test(namespace) || namespace.includes('.')) return new Failure(`Invalid service account namespace: ${namespace}`);
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return new AuthorizerValue({ name: `system:serviceaccount:${namespace}:${name}`, uid: '', groups, extra: {} }, authorizer.answer);
}

function check([subject, verb]: readonly Value[]): Value {
  if (typeof verb !== 'string' || !(subject instanceof PathCheck || subject instanceof ResourceCheck)) return noOverload;
  const { user, answer } = subject.authorizer;
  return new DecisionValue(
    answer(
      subject instanceof PathCheck
        ? { isResource: false, user, verb, path: subject.path }
        : { isResource: true, user, verb, ...subject.question },
    ),
  );
}

const narrowed =
  (change: (text: string) => Partial<ResourceQuestion>): Implementation =>
  ([subject, text]) =>
    subject instanceof ResourceCheck && typeof text === 'string' ? subject.with(change(text)) : noOverload;
const ofDecision =
  (of: (answer: AuthorizationAnswer) => Value): Implementation =>
  ([decision]) =>
    decision instanceof DecisionValue ? of(decision.answer) : noOverload;

export const authorization: Library = {
  '.path/1': ([authorizer, path]) =>
    authorizer instanceof AuthorizerValue && typeof path === 'string'
      ? path === ''
        ? new Failure('path must not be empty')
        : new PathCheck(authorizer, path)
      : noOverload,
  '.group/1': ([authorizer, group]) =>
    authorizer instanceof AuthorizerValue && typeof group === 'string' ? new GroupCheck(authorizer, group) : noOverload,
  '.resource/1': ([group, resource]) =>
    group instanceof GroupCheck && typeof resource === 'string'
      ? new ResourceCheck(group.authorizer, { group: group.group, version: '*', resource, subresource: '', namespace: '', name: '' })
      : noOverload,
  '.serviceAccount/2': serviceAccount,
  '.check/1': check,
  '.subresource/1': narrowed((subresource) => ({ subresource })),
  '.namespace/1': narrowed((namespace) => ({ namespace })),
  '.name/1': narrowed((name) => ({ name })),
  '.fieldSelector/1': narrowed((fieldSelector) => ({ fieldSelector })),
  '.labelSelector/1': narrowed((labelSelector) => ({ labelSelector })),
  '.allowed/0': ofDecision(({ allowed }) => allowed),
  '.reason/0': ofDecision(({ reason }) => reason),
  '.error/0': ofDecision(({ error = '' }) => error),
  '.errored/0': ofDecision(({ error }) => error !== undefined),
};
