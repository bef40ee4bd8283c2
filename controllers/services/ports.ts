import type { EndpointPort, Pod, Service, ServicePort } from '../../api/types/core/v1.js';

/** Returns null if the pod lacks a port of that name and protocol. */
function targetPort(pod: Pod, { port, targetPort: target, protocol = 'TCP' }: ServicePort): number | null {
  if (typeof target === 'number' && target !== 0) return target;
  if (typeof target !== 'string' || target === '') return port;
  // Sidecars among the init containers serve as well.
  const containers = [
    ...(pod.spec?.containers ?? []),
    ...(pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
  const found = containers
    .flatMap(({ ports = [] }) => ports)
    .find((candidate) => candidate.name === target && (candidate.protocol ?? 'TCP') === protocol);
  return found?.containerPort ?? null;
}

/** Null as in `targetPort`. */
export function endpointPort(
  pod: Pod,
  servicePort: ServicePort,
): (Required<Pick<EndpointPort, 'name' | 'port' | 'protocol'>> & Pick<EndpointPort, 'appProtocol'>) | null {
  const port = targetPort(pod, servicePort);
  if (port === null) return null;
  const { name = '', protocol = 'TCP', appProtocol } = servicePort;
  return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
}

/** None for a headless Service without ports. */
export const endpointPorts = (service: Service, pod: Pod): readonly EndpointPort[] =>
  (service.spec?.ports ?? []).flatMap((port) => endpointPort(pod, port) ?? []);
