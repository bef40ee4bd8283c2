import { createHash } from 'node:crypto';
import type { EndpointAddress, EndpointPort, EndpointSubset, ObjectReference } from '../../api/types/core/v1.js';

/** Orders subsets like the reference: by a hash of their Go print form. Pure. */

const text = (type: string, value: string | number | undefined): string => `(${type})${value ?? ''}`;
const pointer = (type: string, value: string | undefined): string => `(*${type})${value ?? '<nil>'}`;

const printedPort = ({ name, port, protocol, appProtocol }: EndpointPort): string =>
  `(v1.EndpointPort){Name:${text('string', name)} Port:${text('int32', port)} Protocol:${text('v1.Protocol', protocol)} AppProtocol:${pointer('string', appProtocol)}}`;

function printedTarget(target: ObjectReference | undefined): string {
  if (!target) return '(*v1.ObjectReference)<nil>';
  const { resourceVersion, fieldPath } = target as { readonly resourceVersion?: string; readonly fieldPath?: string };
  const members = { Kind: target.kind, Namespace: target.namespace, Name: target.name };
  const first = Object.entries(members)
    .map(([name, value]) => `${name}:${text('string', value)}`)
    .join(' ');
  return `(*v1.ObjectReference){${first} UID:${text('types.UID', target.uid)} APIVersion:${text('string', target.apiVersion)} ResourceVersion:${text('string', resourceVersion)} FieldPath:${text('string', fieldPath)}}`;
}

const printedAddress = ({ ip, hostname, nodeName, targetRef }: EndpointAddress): string =>
  `(v1.EndpointAddress){IP:${text('string', ip)} Hostname:${text('string', hostname)} NodeName:${pointer('string', nodeName)} TargetRef:${printedTarget(targetRef)}}`;

const printedList = (type: string, items: readonly string[]): string =>
  `([]${type})${items.length === 0 ? '<nil>' : `[${items.join(' ')}]`}`;

const printedSubset = ({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string =>
  `(v1.EndpointSubset){Addresses:${printedList('v1.EndpointAddress', addresses.map(printedAddress))} ` +
  `NotReadyAddresses:${printedList('v1.EndpointAddress', notReadyAddresses.map(printedAddress))} Ports:${printedList('v1.EndpointPort', ports.map(printedPort))}}`;

const md5 = (printed: string): string => createHash('md5').update(printed).digest('hex');

function byHash<T>(items: readonly T[], printed: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  return items
    .map((item) => ({ item, hash: md5(printed(item)) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
    .map(({ item }) => item);
}

const addressWord = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ''}`;
const byAddress = (a: EndpointAddress, b: EndpointAddress): number => (addressWord(a) < addressWord(b) ? -1 : 1);

export function inOrder(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const sorted = subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
    ...(addresses.length > 0 ? { addresses: [...addresses].sort(byAddress) } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses: [...notReadyAddresses].sort(byAddress) } : {}),
    ...(ports.length > 0 ? { ports: byHash(ports, printedPort) } : {}),
  }));
  return byHash(sorted, printedSubset);
}
