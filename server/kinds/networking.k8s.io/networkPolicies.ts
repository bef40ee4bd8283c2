import type { NetworkPolicy } from '../../../api/types/networking/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn, setDefault } from '../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../api/json/members.js';
import { cidr, contains, parseOldRange } from '../../registry/validation/addresses.js';
import { forbidden, invalid, notSupported, Path, required, strictly, type FieldError } from '../../registry/validation/field.js';
import { validateLabelSelector } from '../../registry/validation/labelselector.js';
import { rangeWarnings } from '../../registry/validation/spelling.js';
import { portNameProblems, portNumber } from '../../registry/validation/values.js';
import { selectorAt } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { atOnce, fromFound, inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const policyTypes = ['Ingress', 'Egress'];
const protocols = ['TCP', 'UDP', 'SCTP'];
const directions = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

function setDefaults(policy: Draft<NetworkPolicy>): void {
  const spec = objectAt(policy, 'spec');
  if (spec === null) return;
  for (const [direction] of directions)
    for (const rule of objectsIn(spec, direction)) for (const port of objectsIn(rule, 'ports')) setDefault(port, 'protocol', 'TCP');
  if (itemsOf(spec.policyTypes).length === 0) spec.policyTypes = itemsOf(spec.egress).length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
}

/** `lenient`: peers may have invalid selector values while the policy's own selector does, as in the reference. */
function validateSpec(policy: Draft<NetworkPolicy>, lenient: boolean): Found {
  const spec = specOf(policy);
  return inOrder(
    validateLabelSelector(objectAt(spec, 'podSelector') ?? {}, specPath.child('podSelector')),
    ofEach(directions, ([direction, peers]) =>
      ofEach(objectsIn(spec, direction), (rule, position) => {
        const path = specPath.child(direction).index(position);
        return inOrder(
          ofEach(objectsIn(rule, 'ports'), (port, index) => validatePort(port, path.child('ports').index(index))),
          ofEach(objectsIn(rule, peers), (peer, index) => validatePeer(peer, lenient, path.child(peers).index(index))),
        );
      }),
    ),
    validateTypes(itemsOf(spec.policyTypes).map(String), specPath.child('policyTypes')),
  );
}

const validateTypes = (types: readonly string[], path: Path): FieldError[] =>
  types.length > policyTypes.length
    ? [invalid(path, types, 'may not specify more than two policyTypes')]
    : types.flatMap((type, position) => (policyTypes.includes(type) ? [] : [notSupported(path.index(position), type, policyTypes)]));

function validatePort(entry: JsonObject, path: Path): FieldError[] {
  const { protocol, port, endPort } = entry;
  return [
    ...(protocol !== undefined && !protocols.includes(String(protocol)) ? [notSupported(path.child('protocol'), protocol, protocols)] : []),
    ...(typeof port === 'number' ? portNumber(port, path.child('port')) : []),
    ...(endPort === undefined ? [] : validateEnd(Number(endPort), port, path.child('endPort'))),
    ...(typeof port === 'string' ? portNameProblems(port).map((text) => invalid(path.child('port'), port, text)) : []),
  ];
}

function validateEnd(end: number, port: unknown, path: Path): FieldError[] {
  if (port === undefined) return [invalid(path, end, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') return [invalid(path, end, 'may not be specified when `port` is non-numeric')];
  return [...(end < Number(port) ? [invalid(path, end, 'must be greater than or equal to `port`')] : []), ...portNumber(end, path)];
}

function validatePeer(peer: JsonObject, lenient: boolean, path: Path): Found {
  const selectors = ['podSelector', 'namespaceSelector'].filter((member) => objectAt(peer, member) !== null);
  const block = objectAt(peer, 'ipBlock');
  const ofSelectors = inOrder(...selectors.map((member) => validateLabelSelector(objectAt(peer, member) ?? {}, path.child(member))));
  return inOrder(
    lenient ? ofSelectors : fromFound(ofSelectors, strictly),
    block === null ? [] : validateBlock(block, path.child('ipBlock')),
    selectors.length === 0 && block === null ? [required(path, 'must specify a peer')] : [],
    selectors.length > 0 && block !== null ? [forbidden(path, 'may not specify both ipBlock and another peer')] : [],
  );
}

function validateBlock(block: JsonObject, path: Path): Found {
  const text = textAt(block, 'cidr');
  if (text === '') return [required(path.child('cidr'), '')];
  const findings = cidr(text, path.child('cidr'));
  const range = parseOldRange(text);
  if (range === null) return findings;
  return inOrder(
    findings,
    ofEach(itemsOf(block.except).map(String), (value, position) => {
      const at = path.child('except').index(position);
      const hole = parseOldRange(value);
      const strictly =
        hole !== null && contains(range, { family: hole.family, value: hole.first }) && hole.last - hole.first < range.last - range.first;
      return [...cidr(value, at), ...(hole === null || strictly ? [] : [invalid(at, value, 'must be a strict subset of `cidr`')])];
    }),
  );
}

const hasBadSelector = (policy: Draft<NetworkPolicy>): boolean =>
  atOnce(validateLabelSelector(objectAt(specOf(policy), 'podSelector') ?? {}, specPath)).length > 0;

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
  defaults: setDefaults,
  validate: (policy) => validateSpec(policy, false),
  warnings,
  update: { review: ['objectMetaUpdate', (policy, old) => validateSpec(policy, hasBadSelector(old))] },
  cells: { 'Pod-Selector': selectorAt('spec.podSelector') },
};
