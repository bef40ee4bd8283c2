import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt, setDefault } from '../../registry/defaulting.js';
import { memberAt, textAt } from '../../registry/members.js';
import { forbidden, invalid, notSupported, Path, required, tooLong, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { dnsLabel, dnsSubdomain } from '../../registry/validation/values.js';
import { at, NONE } from '../cells.js';
import type { Kind } from '../kind.js';
import { validateTypedReference } from './references.js';

const SPEC = Path.of('spec');
const CONTROLLER_BYTES_MAX = 250;
const SCOPES = ['Cluster', 'Namespace'];
const PATH_PATTERN = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

function validate(ingressClass: ApiObject): FieldError[] {
  const spec = objectAt(ingressClass, 'spec') ?? {};
  const parameters = objectAt(spec, 'parameters');
  return [
    ...validateController(textAt(spec, 'controller'), SPEC.child('controller')),
    ...(parameters === null ? [] : validateParameters(parameters, SPEC.child('parameters'))),
  ];
}

/** A domain and a path, such as `example.com/controller`. */
function validateController(controller: string, path: Path): FieldError[] {
  if (controller === '') return [required(path, '')];
  const findings = Buffer.byteLength(controller) > CONTROLLER_BYTES_MAX ? [tooLong(path, CONTROLLER_BYTES_MAX)] : [];
  const slash = controller.indexOf('/');
  const [host, rest] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (host === '' || rest === '') return [...findings, invalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  findings.push(...dnsSubdomain(host, path));
  if (!new RegExp(`^${PATH_PATTERN}$`).test(rest))
    findings.push(invalid(path, rest, `invalid path (regex used for validation is '${PATH_PATTERN}')`));
  return findings;
}

function validateParameters(parameters: JsonObject, path: Path): FieldError[] {
  const findings = validateTypedReference(parameters, path);
  const { scope, namespace } = parameters;
  const at = path.child('namespace');
  if (scope === undefined) return [...findings, required(path.child('scope'), '')];
  if (!SCOPES.includes(String(scope))) return [...findings, notSupported(path.child('scope'), scope, SCOPES)];
  if (scope === 'Cluster')
    return namespace === undefined ? findings : [...findings, forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  return [
    ...findings,
    ...(namespace === undefined ? [required(at, "`parameters.scope` is set to 'Namespace'")] : dnsLabel(String(namespace), at)),
  ];
}

const controllerOf = (ingressClass: ApiObject): string => textAt(memberAt(ingressClass, 'spec', 'controller'));

export const ingressClasses: Kind = {
  name: 'ingressclasses.networking.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults(ingressClass) {
    const parameters = objectAt(objectAt(ingressClass, 'spec') ?? {}, 'parameters');
    if (parameters !== null) setDefault(parameters, 'scope', 'Cluster');
  },
  validate,
  update: {
    review: (ingressClass, old, metadata) => [
      ...metadata.update(),
      ...unchanged(controllerOf(ingressClass), controllerOf(old), SPEC.child('controller')),
      ...metadata.object(),
      ...validate(ingressClass),
    ],
  },
  cells: {
    Controller: at('spec', 'controller'),
    Parameters: (object) =>
      memberAt(object, 'spec', 'parameters') === undefined
        ? NONE
        : `${textAt(object, 'spec', 'parameters', 'kind')}${textAt(object, 'spec', 'parameters', 'apiGroup') === '' ? '' : `.${textAt(object, 'spec', 'parameters', 'apiGroup')}`}/${textAt(object, 'spec', 'parameters', 'name')}`,
  },
};
