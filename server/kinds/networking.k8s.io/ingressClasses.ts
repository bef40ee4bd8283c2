import type { IngressClass } from '../../../api/types/networking/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, setDefault } from '../../../api/json/defaulting.js';
import { memberAt, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, notSupported, Path, required, tooLong, type FieldError } from '../../registry/validation/field.js';
import { dnsLabel, dnsSubdomain } from '../../registry/validation/values.js';
import { at, none } from '../cells.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { validateTypedReference } from './references.js';

const specPath = Path.of('spec');
const controllerBytesMax = 250;
const scopes = ['Cluster', 'Namespace'];
const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

function validate(ingressClass: Draft<IngressClass>): FieldError[] {
  const spec = specOf(ingressClass);
  const parameters = objectAt(spec, 'parameters');
  return [
    ...validateController(textAt(spec, 'controller'), specPath.child('controller')),
    ...(parameters === null ? [] : validateParameters(parameters, specPath.child('parameters'))),
  ];
}

/** A domain and a path, such as `example.com/controller`. */
function validateController(controller: string, path: Path): FieldError[] {
  if (controller === '') return [required(path, '')];
  const findings = Buffer.byteLength(controller) > controllerBytesMax ? [tooLong(path, controllerBytesMax)] : [];
  const slash = controller.indexOf('/');
  const [host, rest] = [controller.slice(0, Math.max(slash, 0)), controller.slice(slash + 1)];
  if (host === '' || rest === '') return [...findings, invalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  findings.push(...dnsSubdomain(host, path));
  if (!new RegExp(`^${pathPattern}$`).test(rest))
    findings.push(invalid(path, rest, `Invalid path (regex used for validation is '${pathPattern}')`));
  return findings;
}

function validateParameters(parameters: JsonObject, path: Path): FieldError[] {
  const findings = validateTypedReference(parameters, path);
  const { scope, namespace } = parameters;
  const at = path.child('namespace');
  if (scope === undefined) return [...findings, required(path.child('scope'), '')];
  if (!scopes.includes(String(scope))) return [...findings, notSupported(path.child('scope'), scope, scopes)];
  if (scope === 'Cluster')
    return namespace === undefined ? findings : [...findings, forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  return [
    ...findings,
    ...(namespace === undefined ? [required(at, "`parameters.scope` is set to 'Namespace'")] : dnsLabel(String(namespace), at)),
  ];
}

export const ingressClasses: Kind<Draft<IngressClass>> = {
  name: 'ingressclasses.networking.k8s.io',
  metadata: { generationOf: ['spec'] },
  defaults(ingressClass) {
    const parameters = objectAt(specOf(ingressClass), 'parameters');
    if (parameters !== null) setDefault(parameters, 'scope', 'Cluster');
  },
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
