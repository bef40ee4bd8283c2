import type { JsonObject } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area, Sequence } from '../area.js';
import { some, of, list, all, type Make } from '../grammar.js';
import type { Random } from '../random.js';

export const serviceAddresses: Area = {
  name: 'serviceAddresses',
  about: 'cluster addresses, families, node ports and their allocation, changes of type, IPAddresses and ServiceCIDRs',
  generate: (random) => random.pick([services, services, services, addresses, ranges])(random),
};

const path = '/api/v1/namespaces/${ns}/services';
const networking = '/apis/networking.k8s.io/v1';
const merge = 'application/merge-patch+json';

/** A probably free address in both servers' range. */
const inRange = (random: Random): string => `10.${96 + random.below(16)}.${100 + random.below(100)}.${1 + random.below(254)}`;
const nodePort = (random: Random): number => 30_100 + random.below(2600);

interface Chosen {
  readonly address: string;
  readonly port: number;
}

const portsOf = ({ port }: Chosen): Make =>
  list(
    some(
      {
        name: of('a', 'b', 'c'),
        protocol: of('TCP', 'UDP', 'SCTP'),
        targetPort: of(8080, 'web', 0, ''),
        nodePort: of(0, port, port, port + 1, 80, 40_000),
        appProtocol: of('http', 'kubernetes.io/h2c', 'a b'),
      },
      { port: of(80, 81, 443) },
      0.4,
    ),
    3,
  );

const specOf = (chosen: Chosen): Make<JsonObject> =>
  some(
    {
      type: of('ClusterIP', 'NodePort', 'NodePort', 'LoadBalancer', 'LoadBalancer', 'ExternalName'),
      clusterIP: of('None', '', chosen.address, chosen.address, '1.2.3.4', '10.96.0.0', 'x', '::1'),
      clusterIPs: of([], ['None'], [chosen.address], [chosen.address], ['1.2.3.4'], [chosen.address, '::1'], ['']),
      ipFamilies: of(['IPv4'], ['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['x'], []),
      ipFamilyPolicy: of('SingleStack', 'SingleStack', 'PreferDualStack', 'RequireDualStack', 'x'),
      selector: of({ a: 'b' }, {}, null),
      externalName: of('a.example.com', '', 'A_'),
      externalTrafficPolicy: of('Local', 'Local', 'Cluster', '', 'x'),
      internalTrafficPolicy: of('Local', 'Cluster', 'x'),
      healthCheckNodePort: of(0, chosen.port + 2, 80),
      allocateLoadBalancerNodePorts: of(true, false, false),
      loadBalancerClass: of('example.com/lb', 'other', 'a b'),
      loadBalancerIP: of('1.2.3.4', 'x'),
      loadBalancerSourceRanges: of(['10.0.0.0/8'], ['x'], [' 10.0.0.0/8 ']),
      sessionAffinity: of('ClientIP', 'None', 'x'),
      sessionAffinityConfig: of({ clientIP: { timeoutSeconds: 5 } }, { clientIP: { timeoutSeconds: 0 } }, { clientIP: {} }),
      externalIPs: of(['1.2.3.4'], ['127.0.0.1'], ['01.2.3.4']),
      publishNotReadyAddresses: of(true),
      trafficDistribution: of('PreferClose', 'PreferSameNode', 'PreferSameZone', 'x'),
      ports: portsOf(chosen),
    },
    {},
    0.22,
  );

const service = (name: string, chosen: Chosen, random: Random): JsonObject => ({
  metadata: { name },
  spec: {
    ports: [{ port: 80, ...(random.chance(0.2) ? { nodePort: chosen.port } : {}) }],
    ...(random.chance(0.5) ? { type: random.pick(['ClusterIP', 'NodePort', 'LoadBalancer']) } : {}),
    ...specOf(chosen)(random),
  },
});

function services(random: Random): Sequence {
  const chosen = { address: inRange(random), port: nodePort(random) };
  const step = (): Step => {
    const name = random.pick(['a', 'a', 'b']);
    const dry = random.chance(0.2) ? '?dryRun=All' : '';
    const at = `${path}/${name}`;
    return random.pick<() => Step>([
      () => ({ do: `POST ${path}${dry}`, body: service(name, chosen, random) }),
      () => ({ do: `PUT ${at}${dry}`, body: service(name, chosen, random) }),
      () => ({ do: `PATCH ${at}${dry}`, type: merge, body: { spec: specOf(chosen)(random) } }),
      () => ({ do: `PATCH ${at}${dry}`, type: merge, body: { spec: specOf(chosen)(random) } }),
      () => ({
        do: `PATCH ${at}${dry}`,
        type: merge,
        body: { spec: { type: random.pick(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']) } },
      }),
      () => ({
        do: `PATCH ${at}?fieldManager=m&force=true${dry.replace('?', '&')}`,
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'Service', ...service(name, chosen, random) },
      }),
      () => ({ do: `DELETE ${at}${dry}` }),
      () => ({ do: `GET ${at}` }),
      () => ({ do: `GET ${networking}/ipaddresses/${chosen.address}` }),
      () => ({
        do: `GET ${networking}/ipaddresses/\${address}`,
        keep: ['/spec', '/metadata/labels', '/metadata/managedFields', '/reason'],
      }),
      () => ({ do: `PATCH ${at}/status`, type: merge, body: { status: status(random) } }),
    ])();
  };
  const first: Step = { do: `POST ${path}`, body: service('a', chosen, random), save: { address: '/spec/clusterIP' } };
  return { steps: [first, ...random.upTo(6, step)] };
}

const status = some(
  {
    loadBalancer: all({
      ingress: list(
        some(
          {
            ip: of('1.2.3.4', 'x'),
            hostname: of('a.example.com', '1.2.3.4', 'A_'),
            ipMode: of('VIP', 'Proxy', 'x'),
            ports: list(some({ error: of('a b', 'example.com/E') }, { port: of(80), protocol: of('TCP', 'x') }), 2),
          },
          {},
          0.5,
        ),
        2,
      ),
    }),
    conditions: list(
      all({ type: of('A'), status: of('True'), reason: of('R', ''), message: of(''), lastTransitionTime: of('2020-01-01T00:00:00Z') }),
      2,
    ),
  },
  {},
  0.7,
);

function addresses(random: Random): Sequence {
  const address = inRange(random);
  const parent = some({ group: of('', 'x'), resource: of('services', ''), namespace: of('${ns}', 'A_'), name: of('a', 'b', '') }, {}, 0.85);
  const name = (): string => random.pick([address, address, '2001:db8::1', '2001:DB8::1', '01.2.3.4', '::ffff:1.2.3.4', 'x', '10.0.0.300']);
  const step = (): Step =>
    random.pick<() => Step>([
      () => ({
        do: `POST ${networking}/ipaddresses?dryRun=All`,
        body: { metadata: { name: name() }, spec: { parentRef: parent(random) } },
      }),
      () => ({ do: `PATCH ${networking}/ipaddresses/${address}`, type: merge, body: { spec: { parentRef: parent(random) } } }),
      () => ({ do: `PATCH ${networking}/ipaddresses/${address}`, type: merge, body: { metadata: { labels: { a: 'b' } } } }),
      () => ({ do: `POST ${path}`, body: { metadata: { name: 'a' }, spec: { clusterIP: address, ports: [{ port: 80 }] } } }),
      () => ({ do: `DELETE ${path}/a` }),
      () => ({ do: `GET ${networking}/ipaddresses/${address}` }),
      () => ({
        do: `GET ${networking}/ipaddresses?fieldSelector=metadata.name=${address}`,
        accept: table,
        ignore: ['/metadata/resourceVersion'],
      }),
      () => ({ do: `DELETE ${networking}/ipaddresses/${address}` }),
    ])();
  const valid = { group: '', resource: 'services', namespace: '${ns}', name: 'a' };
  const first: Step = { do: `POST ${networking}/ipaddresses`, body: { metadata: { name: address }, spec: { parentRef: valid } } };
  return { steps: [...(random.chance(0.6) ? [first] : []), ...random.upTo(5, step)] };
}

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';

/** Further ranges, which no controller makes ready. */
function ranges(random: Random): Sequence {
  const cidr = `10.${200 + random.below(50)}.${random.below(256)}.0/24`;
  const cidrs = (): JsonObject => ({
    cidrs: random.pick([
      [cidr],
      [cidr],
      ['2001:db8::/112'],
      [cidr, '2001:db8::/112'],
      [cidr, cidr],
      [],
      ['x'],
      [cidr.replace('.0/', '.1/')],
      ['010.0.0.0/24'],
      ['2001:db8::/32'],
      ['10.0.0.0/32'],
      ['10.0.0.0/30'],
      ['2001:DB8::/112'],
      ['::ffff:1.2.3.0/120'],
      [cidr, '2001:db8::/112', '10.1.0.0/24'],
    ]),
  });
  const at = `${networking}/servicecidrs/c-\${r}`;
  const step = (): Step =>
    random.pick<() => Step>([
      () => ({ do: `POST ${networking}/servicecidrs?dryRun=All`, body: { metadata: { name: 'd-${r}' }, spec: cidrs() } }),
      () => ({ do: `PATCH ${at}`, type: merge, body: { spec: cidrs() } }),
      () => ({
        do: `PATCH ${at}/status`,
        type: merge,
        body: {
          status: {
            conditions: [
              {
                type: random.pick(['Ready', 'x y']),
                status: random.pick(['False', 'y']),
                reason: 'R',
                message: '',
                lastTransitionTime: '2020-01-01T00:00:00Z',
              },
            ],
          },
        },
      }),
      () => ({
        do: `GET ${networking}/servicecidrs?fieldSelector=metadata.name=c-\${r}`,
        accept: table,
        ignore: ['/metadata/resourceVersion'],
      }),
      () => ({ do: `DELETE ${at}` }),
      () => ({ do: `PUT ${at}?dryRun=All`, body: { metadata: { name: 'c-${r}' }, spec: cidrs() } }),
      () => ({ do: `GET ${networking}/servicecidrs/kubernetes`, keep: ['/spec', '/status/conditions/0/type'] }),
    ])();
  return {
    steps: [
      { do: `POST ${networking}/servicecidrs`, body: { metadata: { name: 'c-${r}' }, spec: { cidrs: [cidr] } } },
      ...random.upTo(4, step),
    ],
  };
}
