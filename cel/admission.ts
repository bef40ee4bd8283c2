import { turns } from '../workers/turns/turns.js';
import type { JsonObject } from '../api/object.js';
import { requestCostMax } from './eval/budget.js';
import { AuthorizerValue, ResourceCheck } from './eval/functions/authorization.js';
import { plainView } from './eval/json.js';
import type { CelProgram } from './eval/program.js';
import { Failure, FieldMap, type Value } from './eval/values.js';
import type { AdmissionValues, AuthorizationAnswer, AuthorizationQuestion } from './admissionValues.js';

export const admissionNames: ReadonlySet<string> = new Set([
  'object',
  'oldObject',
  'request',
  'params',
  'namespaceObject',
  'authorizer',
  'authorizer.requestResource',
  'variables',
]);

class Unanswered extends Error {
  constructor(
    readonly key: string,
    readonly answer: Promise<AuthorizationAnswer>,
  ) {
    super('a question must be answered first');
  }
}

export interface Variable {
  readonly name: string;
  readonly program: CelProgram | null;
}

/** After this cost (tens of milliseconds) other requests run. */
const turnCost = 250_000;
/** The limit of authorization checks per request; costs allow fewer. */
const questionsMax = 100;

/**
 * Evaluates the expressions of a policy or webhook for one request. They share a budget, variables and authorization answers. An expression that needs an
 * answer is evaluated again with it, and charged once.
 */
export class AdmissionEvaluation {
  readonly #given: AdmissionValues;
  readonly #costMax: number;
  #cost = 0;
  #sinceTurn = 0;
  #exhausted = false;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #answers = new Map<string, AuthorizationAnswer>();
  readonly #variables: FieldMap;
  #variableCost = 0;

  constructor(given: AdmissionValues, costMax = requestCostMax, variables: readonly Variable[] = []) {
    this.#given = given;
    this.#costMax = costMax;
    this.#values = valuesOf(given, (question) => this.#answer(question));
    this.#variables = new FieldMap(
      'kubernetes.variables',
      Object.fromEntries(variables.map(({ name, program }) => [name, () => this.#variable(name, program)])),
    );
  }

  /** Once the budget is exhausted, results are meaningless. */
  get exhausted(): boolean {
    return this.#exhausted;
  }
  get remaining(): number {
    return this.#costMax - this.#cost;
  }

  /** Never rejects. Failures are values. */
  async evaluate(program: CelProgram): Promise<Value> {
    for (let asked = 0; ; asked++) {
      if (this.#exhausted) return new Failure('out of budget');
      if (this.#sinceTurn > turnCost) {
        this.#sinceTurn = 0;
        await turns.next();
      }
      try {
        return this.#run(program);
      } catch (error) {
        if (!(error instanceof Unanswered) || asked > questionsMax) return new Failure(`internal error: ${(error as Error).message}`);
        this.#answers.set(error.key, await error.answer);
      }
    }
  }

  #run(program: CelProgram): Value {
    this.#variableCost = 0;
    const { value, cost } = program.evaluate((name) => (name === 'variables' ? this.#variables : this.#values.get(name)), this.remaining);
    const total = cost + this.#variableCost;
    this.#cost += total;
    this.#sinceTurn += total;
    this.#exhausted = this.#cost > this.#costMax;
    return value;
  }

  #variable(name: string, program: CelProgram | null): Value {
    if (program === null) return new Failure(`composited variable "${name}" fails to compile`);
    const { value, cost } = program.evaluate(
      (other) => (other === 'variables' ? this.#variables : this.#values.get(other)),
      Math.max(1, this.remaining - this.#variableCost),
    );
    this.#variableCost += cost;
    return value instanceof Failure ? new Failure(`composited variable "${name}" fails to evaluate: ${value.message}`) : value;
  }

  #answer(question: AuthorizationQuestion): AuthorizationAnswer {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.#given.askAuthorizer(question);
    if (!(answer instanceof Promise)) {
      this.#answers.set(key, answer);
      return answer;
    }
    throw new Unanswered(key, answer);
  }
}

function valuesOf(
  { object, oldObject, request, params, namespaceObject, user }: AdmissionValues,
  answer: (question: AuthorizationQuestion) => AuthorizationAnswer,
): ReadonlyMap<string, Value> {
  const authorizer = user === null ? null : new AuthorizerValue(user, answer);
  return new Map<string, Value>([
    ['object', plainView(object)],
    ['oldObject', plainView(oldObject)],
    ['request', plainView(request)],
    ...(authorizer === null
      ? []
      : ([
          ['authorizer', authorizer],
          ['authorizer.requestResource', requestResource(authorizer, request)],
        ] as const)),
    ...(params === undefined ? [] : [['params', plainView(params)] as const]),
    ...(namespaceObject === undefined ? [] : [['namespaceObject', plainView(namespaceObject)] as const]),
  ]);
}

function requestResource(authorizer: AuthorizerValue, request: JsonObject): ResourceCheck {
  const resource = (request['requestResource'] ?? request['resource'] ?? {}) as JsonObject;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return new ResourceCheck(authorizer, {
    group: text(resource['group']),
    version: text(resource['version']),
    resource: text(resource['resource']),
    subresource: text(request['requestSubResource'] ?? request['subResource']),
    namespace: text(request['namespace']),
    name: text(request['name']),
  });
}
