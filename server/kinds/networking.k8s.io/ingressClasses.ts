import type * as v1 from '../../../api/types/networking/v1.js';
import {
  all,
  andThen,
  at,
  byDefault,
  dnsLabel,
  dnsSubdomain,
  forbiddenAs,
  invalid,
  maxBytes,
  memberAt,
  members,
  none,
  objectRules,
  oneOf,
  optional,
  required,
  requiredPointerAs,
  textAt,
  whenOwner,
  type Draft,
  type FieldError,
  type Kind,
  type Path,
  type Writable,
} from '../language.js';
import { immutable } from '../immutable.js';
import { typedReference } from './references.js';

const controllerBytesMax = 250;
const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** A domain and a path, such as `example.com/controller`. */
function controllerName(controller: string, path: Path): FieldError[] {
  const findings = maxBytes(controllerBytesMax)(controller, path);
  const slash = controller.indexOf('/');
  const [host, rest] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (host === '' || rest === '') return [...findings, invalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  findings.push(...dnsSubdomain(host, path));
  if (!new RegExp(`^${pathPattern}$`).test(rest))
    findings.push(invalid(path, rest, `Invalid path (regex used for validation is '${pathPattern}')`));
  return findings;
}

type Parameters = Writable<v1.IngressClassParametersReference>;

const parameters = all(
  typedReference,
  andThen(
    members<v1.IngressClassParametersReference>({ scope: byDefault('Cluster', oneOf('Cluster', 'Namespace')) }),
    members<v1.IngressClassParametersReference>({
      namespace: all(
        whenOwner(({ scope }: Parameters) => scope === 'Cluster', forbiddenAs("`parameters.scope` is set to 'Cluster'")),
        whenOwner(
          ({ scope }: Parameters) => scope === 'Namespace',
          requiredPointerAs("`parameters.scope` is set to 'Namespace'", dnsLabel),
        ),
      ),
    }),
  ),
);

const validate = objectRules<v1.IngressClass>({
  spec: members<v1.IngressClassSpec>({ controller: required(controllerName), parameters: optional(parameters) }),
});

export const ingressClasses: Kind<Draft<v1.IngressClass>> = {
  name: 'ingressclasses.networking.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults: validate.defaults,
  validate,
  update: {
    review: ['objectMetaUpdate', immutable('spec.controller', (controller = '') => controller), 'objectMeta', validate],
  },
  cells: {
    Controller: at('spec.controller'),
    Parameters: (object) =>
      memberAt(object, 'spec', 'parameters') === undefined
        ? none
        : `${textAt(object, 'spec', 'parameters', 'kind')}${textAt(object, 'spec', 'parameters', 'apiGroup') === '' ? '' : `.${textAt(object, 'spec', 'parameters', 'apiGroup')}`}/${textAt(object, 'spec', 'parameters', 'name')}`,
  },
};
