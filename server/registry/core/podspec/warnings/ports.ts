import type { JsonObject } from '../../../../api/object.js';
import { objectsIn } from '../../../defaulting.js';
import { textAt } from '../../../members.js';
import type { Path } from '../../../validation/field.js';
import type { Placed } from './containers.js';

interface Port { readonly path: Path; readonly hostIP: string; readonly hostPort: number }

/** Ports of a pod that say the same thing twice, or nearly. */
export function portWarnings(containers: readonly Placed[]): string[] {
  const known = new Map<string, Port[]>();
  return containers.flatMap(({ container, path }) => objectsIn(container, 'ports').flatMap((port, position) => {
    const at = path.child('ports').index(position);
    const current: Port = { path: at, hostIP: textAt(port, 'hostIP'), hostPort: Number(port['hostPort'] ?? 0) };
    const key = `${textAt(port, 'containerPort')}/${textAt(port, 'protocol')}`;
    const others = known.get(key) ?? [];
    known.set(key, [...others, current]);
    return [...withoutHostPort(port, current), ...others.flatMap(other => conflict(current, other))];
  }));
}

/** Go's notation of the port, as the reference shows it. */
const withoutHostPort = (port: JsonObject, { path, hostIP, hostPort }: Port): string[] => (hostIP === '' || hostPort !== 0 ? []
  : [`${path}: hostIP set without hostPort: {Name:${textAt(port, 'name')} HostPort:0 ContainerPort:${textAt(port, 'containerPort')} Protocol:${textAt(port, 'protocol')} HostIP:${hostIP}}`]);

function conflict(port: Port, other: Port): string[] {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return [`${port.path}: duplicate port definition with ${other.path}`];
  if (port.hostPort === 0 || other.hostPort === 0) return [`${port.path}: overlapping port definition with ${other.path}`];
  const ambiguous = port.hostPort === other.hostPort && (port.hostIP === '') !== (other.hostIP === '');
  return ambiguous ? [`${port.path}: dangerously ambiguous port definition with ${other.path}`] : [];
}
