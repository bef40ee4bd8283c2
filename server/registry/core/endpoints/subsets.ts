import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../api/object.js';
import { objectsIn } from '../../defaulting.js';
import { membersOf, textAt } from '../../members.js';

/**
 * Brings the subsets of v1 Endpoints into one form: addresses that offer the same ports stand together, each once. Clients that compare
 * what they wrote with what they read rely on its order too, which is that of hashes over a printed form; only ports and subsets beyond
 * the first are affected by it.
 */
export function repackSubsets(subsets: readonly JsonObject[]): JsonObject[] {
  const addresses = new Map<string, JsonObject>();
  const byPort = new Map<string, { readonly port: JsonObject | null; readonly ready: Map<string, boolean> }>();
  for (const subset of subsets) {
    const ports: (JsonObject | null)[] = objectsIn(subset, 'ports');
    for (const port of ports.length === 0 ? [null] : ports) collect(subset, port, addresses, byPort);
  }
  return inOrderOf(pack(byPort, addresses).map(sortSubset), hashOfSubset);
}

type ByPort = Map<string, { readonly port: JsonObject | null; readonly ready: Map<string, boolean> }>;

/** Not ready in one subset means not ready. */
function collect(subset: JsonObject, port: JsonObject | null, addresses: Map<string, JsonObject>, byPort: ByPort): void {
  const portKey = port === null ? '' : portText(port);
  const entry = byPort.get(portKey) ?? { port, ready: new Map<string, boolean>() };
  byPort.set(portKey, entry);
  for (const [list, ready] of [['addresses', true], ['notReadyAddresses', false]] as const) {
    for (const address of objectsIn(subset, list)) {
      const key = addressKey(address);
      if (!addresses.has(key)) addresses.set(key, address);
      entry.ready.set(key, ready && (entry.ready.get(key) ?? true));
    }
  }
}

function pack(byPort: ByPort, addresses: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const packed = new Map<string, { readonly ports: JsonObject[]; readonly ready: Map<string, boolean> }>();
  for (const { port, ready } of byPort.values()) {
    const key = [...ready].map(([address, state]) => `${address} ${state}`).sort().join('\n');
    const entry = packed.get(key) ?? { ports: [], ready };
    packed.set(key, entry);
    if (port !== null) entry.ports.push(port);
  }
  return [...packed.values()].map(({ ports, ready }) => {
    const listed = (wanted: boolean): JsonObject[] => [...ready].filter(([, state]) => state === wanted).map(([key]) => addresses.get(key)).filter(each => each !== undefined);
    return { ...nonEmpty('addresses', listed(true)), ...nonEmpty('notReadyAddresses', listed(false)), ...nonEmpty('ports', ports) };
  });
}

const nonEmpty = (member: string, items: JsonObject[]): JsonObject => (items.length === 0 ? {} : { [member]: items });
const addressKey = (address: JsonObject): string => `${textAt(address, 'ip')} ${textAt(address, 'targetRef', 'uid')}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Sorts by keys that are worked out once for each. */
const inOrderOf = (items: readonly JsonObject[], keyOf: (item: JsonObject) => string): JsonObject[] =>
  items.map(item => ({ item, key: keyOf(item) })).sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

function sortSubset(subset: JsonObject): JsonObject {
  for (const list of ['addresses', 'notReadyAddresses']) {
    if (subset[list] !== undefined) subset[list] = inOrderOf(objectsIn(subset, list), addressKey);
  }
  if (subset['ports'] !== undefined) subset['ports'] = inOrderOf(objectsIn(subset, 'ports'), port => md5(portText(port)));
  return subset;
}

/** A port as the reference's hash function sees it: a structure of its own with its type, a part of another one without. */
const portText = (port: JsonObject): string => `(core.EndpointPort)${portMembers(port)}`;

function portMembers(port: JsonObject): string {
  const app = port['appProtocol'];
  return `{Name:(string)${textAt(port, 'name')} Port:(int32)${textAt(port, 'port') || '0'} Protocol:(core.Protocol)${textAt(port, 'protocol')} AppProtocol:(*string)${typeof app === 'string' ? app : '<nil>'}}`;
}

function hashOfSubset(subset: JsonObject): string {
  const list = (member: string, type: string, text: (item: JsonObject) => string): string => {
    const items = objectsIn(subset, member);
    return `([]${type})${items.length === 0 ? '<nil>' : `[${items.map(text).join(' ')}]`}`;
  };
  const addresses = (member: string): string => list(member, 'core.EndpointAddress', addressText);
  return md5(`(core.EndpointSubset){Addresses:${addresses('addresses')} NotReadyAddresses:${addresses('notReadyAddresses')} Ports:${list('ports', 'core.EndpointPort', portMembers)}}`);
}

function addressText(address: JsonObject): string {
  const target = address['targetRef'];
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '', resourceVersion = '', fieldPath = '' } = membersOf(target);
  const reference = `{Kind:(string)${String(kind)} Namespace:(string)${String(namespace)} Name:(string)${String(name)} UID:(types.UID)${String(uid)} APIVersion:(string)${String(apiVersion)} `
    + `ResourceVersion:(string)${String(resourceVersion)} FieldPath:(string)${String(fieldPath)}}`;
  const node = address['nodeName'];
  return `{IP:(string)${textAt(address, 'ip')} Hostname:(string)${textAt(address, 'hostname')} NodeName:(*string)${typeof node === 'string' ? node : '<nil>'} `
    + `TargetRef:(*core.ObjectReference)${target === undefined || target === null ? '<nil>' : reference}}`;
}
