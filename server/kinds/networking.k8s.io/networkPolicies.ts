import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../../api/types/networking/v1.js';
import {
  all,
  andThen,
  atOnce,
  byDefault,
  changed,
  cidr,
  contains,
  each,
  forbidden,
  ifNumber,
  ifText,
  insteadOfZero,
  invalid,
  isSet,
  itemsOf,
  members,
  missing,
  objectAt,
  objectRules,
  objectsIn,
  oneOf,
  optional,
  parseOldRange,
  Path,
  portName,
  portNumber,
  rangeWarnings,
  required,
  selectorAt,
  specOf,
  strictly,
  textAt,
  validateLabelSelector,
  whenOwner,
  type Draft,
  type FieldError,
  type Kind,
  type ObjectRules,
  type Writable,
} from '../language.js';

const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

const port = all<Writable<NetworkPolicyPort> | undefined>(
  members<NetworkPolicyPort>({
    protocol: byDefault('TCP', oneOf('TCP', 'UDP', 'SCTP')),
    port: ifNumber(portNumber),
    endPort: optional(endOfRange),
  }),
  members<NetworkPolicyPort>({ port: ifText(portName) }),
);

function endOfRange(end: number, path: Path, { port }: Writable<NetworkPolicyPort>): FieldError[] {
  if (port === undefined) return [invalid(path, end, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') return [invalid(path, end, 'may not be specified when `port` is non-numeric')];
  return [...(end < Number(port) ? [invalid(path, end, 'must be greater than or equal to `port`')] : []), ...portNumber(end, path)];
}

const block = members<IPBlock>({
  cidr: required(cidr),
  except: whenOwner(({ cidr: range }) => parseOldRange(range ?? '') !== null, each(cidr, hole)),
});

function hole(value: string, path: Path, { cidr: around }: Writable<IPBlock>): FieldError[] {
  const [range, within] = [parseOldRange(around ?? ''), parseOldRange(value)];
  if (range === null || within === null) return [];
  const strictly = contains(range, { family: within.family, value: within.first }) && within.last - within.first < range.last - range.first;
  return strictly ? [] : [invalid(path, value, 'must be a strict subset of `cidr`')];
}

const selectors = members<NetworkPolicyPeer>({
  podSelector: optional(validateLabelSelector),
  namespaceSelector: optional(validateLabelSelector),
});

function onePeer({ podSelector, namespaceSelector, ipBlock }: Writable<NetworkPolicyPeer>, path: Path): FieldError[] {
  const selects = isSet(podSelector) || isSet(namespaceSelector);
  if (!selects && !isSet(ipBlock)) return [missing(path, 'must specify a peer')];
  return selects && isSet(ipBlock) ? [forbidden(path, 'may not specify both ipBlock and another peer')] : [];
}

/** Peers may have invalid selector values while the policy's own selector does, as in the reference. */
function policyRules(ofSelectors: (findings: FieldError[]) => FieldError[]): ObjectRules<NetworkPolicy> {
  const peers = each<Writable<NetworkPolicyPeer>>(
    changed(selectors, ofSelectors),
    members<NetworkPolicyPeer>({ ipBlock: optional(block) }),
    onePeer,
  );
  const spec = members<NetworkPolicySpec>({
    podSelector: optional(validateLabelSelector),
    ingress: each(members<NetworkPolicyIngressRule>({ ports: each(port), from: peers })),
    egress: each(members<NetworkPolicyEgressRule>({ ports: each(port), to: peers })),
    policyTypes: insteadOfZero(directionsOf, andThen(atMostTwo, each(oneOf('Ingress', 'Egress')))),
  });
  return objectRules<NetworkPolicy>({ spec });
}

const directionsOf = ({ egress }: Writable<NetworkPolicySpec>): string[] =>
  itemsOf(egress).length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
const atMostTwo = (types: readonly string[] | undefined, path: Path): FieldError[] =>
  itemsOf(types).length > 2 ? [invalid(path, types, 'may not specify more than two policyTypes')] : [];

const review = { strict: policyRules(strictly), lenient: policyRules((findings) => findings) };

const hasBadSelector = (policy: Draft<NetworkPolicy>): boolean =>
  atOnce(validateLabelSelector(objectAt(specOf(policy), 'podSelector') ?? {}, Path.root)).length > 0;

const warnings = (policy: Draft<NetworkPolicy>): string[] =>
  directions.flatMap(([direction, peers]) =>
    objectsIn(specOf(policy), direction).flatMap((rule, position) =>
      objectsIn(rule, peers).flatMap((peer, each) => {
        const block = objectAt(peer, 'ipBlock');
        const at = Path.of('spec', direction).index(position).child(peers).index(each).child('ipBlock');
        if (block === null) return [];
        return [
          ...rangeWarnings(textAt(block, 'cidr'), at.child('cidr')),
          ...itemsOf(block.except).flatMap((hole, index) => rangeWarnings(String(hole), at.child('except').index(index))),
        ];
      }),
    ),
  );

export const networkPolicies: Kind<Draft<NetworkPolicy>> = {
  name: 'networkpolicies.networking.k8s.io',
  metadata: { generationOf: ['spec'], tellsEmptyFromNone: true },
  defaults: review.strict.defaults,
  validate: review.strict,
  warnings,
  update: { review: ['objectMetaUpdate', (policy, old) => (hasBadSelector(old) ? review.lenient : review.strict)(policy)] },
  cells: { 'Pod-Selector': selectorAt('spec.podSelector') },
};
