import type * as v1 from '../../../api/types/networking/v1.js';
import {
  all,
  at,
  balancerAddresses,
  changed,
  dnsSubdomain,
  each,
  inOrder,
  invalid,
  ipAddress,
  isSet,
  itemsOf,
  keepable,
  memberAt,
  members,
  nonZero,
  notAddress,
  objectRules,
  optional,
  Path,
  specOf,
  textAt,
  type Draft,
  type FieldError,
  type Kind,
  type Writable,
} from '../language.js';
import { backend, hostName, hostRules } from './ingressRules.js';

const classAnnotation = 'kubernetes.io/ingress.class';

const someBackend = (spec: Writable<v1.IngressSpec> | null | undefined, path: Path): FieldError[] =>
  itemsOf(spec?.rules).length > 0 || isSet(spec?.defaultBackend)
    ? []
    : [invalid(path, spec?.rules ?? null, 'either `defaultBackend` or `rules` must be specified')];

const tls = members<v1.IngressTLS>({
  hosts: each(hostName),
  secretName: nonZero(changed(dnsSubdomain, (findings) => keepable('name of a secret', findings))),
});

const validateSpec = objectRules<v1.Ingress>({
  spec: all(
    someBackend,
    members<v1.IngressSpec>({
      defaultBackend: optional(backend),
      rules: hostRules,
      tls: each(tls),
      ingressClassName: optional(dnsSubdomain),
    }),
  ),
});

function validateClassAnnotation(ingress: Draft<v1.Ingress>): FieldError[] {
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const className = specOf(ingress).ingressClassName;
  if (annotation === undefined || className === undefined || annotation === className) return [];
  return [invalid(Path.of('annotations', classAnnotation), annotation, 'must match `ingressClassName` when both are specified')];
}

const address = members<v1.IngressLoadBalancerIngress>({ ip: nonZero(ipAddress), hostname: nonZero(dnsSubdomain, notAddress) });

const validateStatus = objectRules<v1.Ingress>({
  status: optional(members<v1.IngressStatus>({ loadBalancer: members<v1.IngressLoadBalancerStatus>({ ingress: each(address) }) })),
});

/** Warns about new objects only, unless the field is set as well. */
function warnings(ingress: Draft<v1.Ingress>, old: Draft<v1.Ingress> | null): string[] {
  const isNew =
    old === null && ingress.metadata.annotations?.[classAnnotation] !== undefined && specOf(ingress).ingressClassName === undefined;
  return isNew ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`] : [];
}

const hostsShown = 3;

function ingressHosts(ingress: Draft<v1.Ingress>): string {
  const rules = itemsOf(memberAt(ingress, 'spec', 'rules')).map((rule) => textAt(rule, 'host'));
  const named = rules.flatMap((host, position) => (host === '' ? [] : [position])).slice(0, hostsShown);
  const shown = named.map((position) => rules[position]).join(',') || '*';
  // All rules after the last host that is shown count, also those without a host.
  const isMore = named.length === hostsShown && named.at(-1) !== rules.length - 1;
  return isMore ? `${shown} + ${rules.length - hostsShown} more...` : shown;
}

export const ingresses: Kind<Draft<v1.Ingress>> = {
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
      review: ['objectMetaUpdate', validateStatus],
    },
  },
  cells: {
    Class: at('spec.ingressClassName'),
    Hosts: ingressHosts,
    Address: ({ status }) => balancerAddresses(status?.loadBalancer?.ingress).join(','),
    Ports: (object) => (itemsOf(memberAt(object, 'spec', 'tls')).length === 0 ? '80' : '80, 443'),
  },
};
