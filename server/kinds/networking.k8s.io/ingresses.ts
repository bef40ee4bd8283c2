import type { Ingress } from '../../../api/types/networking/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { invalid, keepable, Path, type FieldError } from '../../registry/validation/field.js';
import { subdomainName, wildcardName } from '../../registry/validation/names.js';
import { dnsSubdomain, ipAddress, named } from '../../registry/validation/values.js';
import { at } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';
import { isAddress, validateBackend, validateRules } from './ingressRules.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const status = Path.of('status', 'loadBalancer', 'ingress');
const classAnnotation = 'kubernetes.io/ingress.class';

function validateSpec(ingress: Draft<Ingress>): Found {
  const spec = specOf(ingress);
  const backend = objectAt(spec, 'defaultBackend');
  const className = spec.ingressClassName;
  return inOrder(
    itemsOf(spec.rules).length === 0 && backend === null
      ? [invalid(specPath, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified')]
      : [],
    backend === null ? [] : validateBackend(backend, specPath.child('defaultBackend')),
    validateRules(objectsIn(spec, 'rules'), specPath.child('rules')),
    ofEach(objectsIn(spec, 'tls'), (tls, position) => validateTls(tls, specPath.child('tls').index(position))),
    className === undefined ? [] : dnsSubdomain(String(className), specPath.child('ingressClassName')),
  );
}

function validateTls(tls: JsonObject, path: Path): Found {
  const secret = textAt(tls, 'secretName');
  return inOrder(
    ofEach(itemsOf(tls.hosts).map(String), (host, position) =>
      named(host, host.includes('*') ? wildcardName : subdomainName, path.child('hosts').index(position)),
    ),
    secret === '' ? [] : keepable('name of a secret', dnsSubdomain(secret, path.child('secretName'))),
  );
}

function validateClassAnnotation(ingress: Draft<Ingress>): FieldError[] {
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const className = specOf(ingress).ingressClassName;
  if (annotation === undefined || className === undefined || annotation === className) return [];
  return [invalid(Path.of('annotations', classAnnotation), annotation, 'must match `ingressClassName` when both are specified')];
}

const validateStatus = (ingress: Draft<Ingress>): FieldError[] =>
  objectsIn(objectAt(statusOf(ingress), 'loadBalancer') ?? {}, 'ingress').flatMap((entry, position) => {
    const path = status.index(position);
    const [address, host] = [textAt(entry, 'ip'), textAt(entry, 'hostname')];
    return [
      ...(address === '' ? [] : ipAddress(address, path.child('ip'))),
      ...(host === '' ? [] : dnsSubdomain(host, path.child('hostname'))),
      ...(isAddress(host) ? [invalid(path.child('hostname'), host, 'must be a DNS name, not an IP address')] : []),
    ];
  });

/** Warns about new objects only, unless the field is set as well. */
function warnings(ingress: Draft<Ingress>, old: Draft<Ingress> | null): string[] {
  const isNew =
    old === null && ingress.metadata.annotations?.[classAnnotation] !== undefined && specOf(ingress).ingressClassName === undefined;
  return isNew ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`] : [];
}

const hostsShown = 3;

function ingressHosts(ingress: Draft<Ingress>): string {
  const rules = itemsOf(memberAt(ingress, 'spec', 'rules')).map((rule) => textAt(rule, 'host'));
  const named = rules.flatMap((host, position) => (host === '' ? [] : [position])).slice(0, hostsShown);
  const shown = named.map((position) => rules[position]).join(',') || '*';
  // All rules after the last host that is shown count, also those without a host.
  const isMore = named.length === hostsShown && named.at(-1) !== rules.length - 1;
  return isMore ? `${shown} + ${rules.length - hostsShown} more...` : shown;
}

export const ingresses: Kind<Draft<Ingress>> = {
  name: 'ingresses.networking.k8s.io',
  metadata: { generationOf: ['spec'] },
  validate: (ingress) => inOrder(validateSpec(ingress), validateClassAnnotation(ingress)),
  warnings,
  create: { status: { loadBalancer: {} } },
  update: {
    review: ['objectMetaUpdate', 'objectMeta', validateSpec],
  },
  subresources: {
    status: {
      review: ['objectMetaUpdate', (ingress) => (memberAt(ingress, 'status') === undefined ? [] : validateStatus(ingress))],
    },
  },
  cells: {
    Class: at('spec.ingressClassName'),
    Hosts: ingressHosts,
    Address: (object) =>
      itemsOf(memberAt(object, 'status', 'loadBalancer', 'ingress'))
        .map((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname'))
        .join(','),
    Ports: (object) => (itemsOf(memberAt(object, 'spec', 'tls')).length === 0 ? '80' : '80, 443'),
  },
};
