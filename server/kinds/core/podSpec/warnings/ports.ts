import type * as v1 from '../../../../../api/types/core/v1.js';
import { itemsOf, type Path, type Writable } from '../../../language.js';
import type { Placed } from './containers.js';

/** Pairs are quadratic, and warnings are only advice. */
const comparedMax = 20;
const warningsMax = 100;

interface Port {
  readonly path: Path;
  readonly hostIP: string;
  readonly hostPort: number;
}

export function portWarnings(containers: readonly Placed[]): string[] {
  const known = new Map<string, Port[]>();
  const warnings: string[] = [];
  for (const { container, path } of containers) {
    for (const [position, port] of itemsOf(container.ports).entries()) {
      const { hostIP = '', hostPort = 0, containerPort, protocol = '' } = port;
      const current: Port = { path: path.child('ports').index(position), hostIP, hostPort };
      const key = `${containerPort ?? ''}/${protocol}`;
      const others = known.get(key) ?? [];
      warnings.push(...withoutHostPort(port, current), ...others.flatMap((other) => conflict(current, other)));
      if (warnings.length >= warningsMax) return warnings.slice(0, warningsMax);
      if (others.length === 0) known.set(key, others);
      if (others.length < comparedMax) others.push(current);
    }
  }
  return warnings;
}

/** Init containers do not count. */
export function portNameWarnings(containers: readonly Placed[]): string[] {
  const known = new Map<string, Path>();
  const warnings: string[] = [];
  for (const { list, container, path } of containers) {
    if (list === 'initContainers' && container.restartPolicy !== 'Always') continue;
    for (const [position, { name = '' }] of itemsOf(container.ports).entries()) {
      const other = known.get(name);
      const own = path.child('ports').index(position);
      if (name === '') continue;
      if (other === undefined) known.set(name, own);
      else if (warnings.length < warningsMax)
        warnings.push(
          `${own}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
    }
  }
  return warnings;
}

/** The reference's Go notation of the port. */
const withoutHostPort = (
  { name = '', containerPort, protocol = '' }: Writable<v1.ContainerPort>,
  { path, hostIP, hostPort }: Port,
): string[] =>
  hostIP === '' || hostPort !== 0
    ? []
    : [
        `${path}: hostIP set without hostPort: {Name:${name} HostPort:0 ContainerPort:${containerPort ?? ''} Protocol:${protocol} HostIP:${hostIP}}`,
      ];

function conflict(port: Port, other: Port): string[] {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort)
    return [`${port.path}: duplicate port definition with ${other.path}`];
  if (port.hostPort === 0 || other.hostPort === 0) return [`${port.path}: overlapping port definition with ${other.path}`];
  const ambiguous = port.hostPort === other.hostPort && (port.hostIP === '') !== (other.hostIP === '');
  return ambiguous ? [`${port.path}: dangerously ambiguous port definition with ${other.path}`] : [];
}
