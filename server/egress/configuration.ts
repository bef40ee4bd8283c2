import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../api/object.js';
import type { TlsClientTerms } from '../../program/tls/tlsClient.js';
import { readConfiguration, refuseConfiguration, type ConfigurationKind, type Shape } from '../../program/files/configuration.js';
import { socketPath } from '../../program/grpc/socketPath.js';
import { itemsOf, membersOf, textAt } from '../../api/json/members.js';

/** TLS settings of a proxy. `servername` replaces the host if present. */
export type ProxyTls = Pick<TlsClientTerms, 'ca' | 'cert' | 'key' | 'servername'>;

export type Transport = { readonly path: string } | { readonly host: string; readonly port: number; readonly tls: ProxyTls | null };

export type Connection =
  | { readonly protocol: 'Direct' }
  | { readonly protocol: 'HTTPConnect'; readonly transport: Transport }
  | { readonly protocol: 'GRPC'; readonly transport: Transport };

/** Kinds of targets: nodes, pods and services; the control plane; the store. */
export type Destination = 'cluster' | 'controlplane' | 'etcd';
export type EgressSelections = ReadonlyMap<Destination, Connection>;

const option = '--egress-selector-config-file';
const tlsShape: Shape = { fields: { caBundle: 'text', clientKey: 'text', clientCert: 'text', tlsServerName: 'text' } };
const fields: Readonly<Record<string, Shape>> = {
  egressSelections: {
    list: {
      fields: {
        name: { oneOf: ['cluster', 'controlplane', 'etcd'] },
        connection: {
          fields: {
            proxyProtocol: { oneOf: ['Direct', 'HTTPConnect', 'GRPC'] },
            transport: { fields: { tcp: { fields: { url: 'text', tlsConfig: tlsShape } }, uds: { fields: { udsName: 'text' } } } },
          },
        },
      },
    },
  },
};

export const egressKind: ConfigurationKind = {
  option,
  kind: 'EgressSelectorConfiguration',
  apiVersions: ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1'],
  fields,
};

/** Reads the file of `--egress-selector-config-file` and its certificates. Throws if invalid. */
export function readEgressSelections(file: string): EgressSelections {
  const value = readConfiguration(file, egressKind);
  const refuse = (at: string, why: string): never => {
    return refuseConfiguration(file, option, [`${at} ${why}`]);
  };
  const selections = new Map<Destination, Connection>();
  for (const [index, entry] of itemsOf(value['egressSelections']).map(membersOf).entries()) {
    const at = `egressSelections[${index}]`;
    const name = textAt(entry, 'name') as Destination | '';
    if (name === '') return refuse(`${at}.name`, 'must be one of cluster, controlplane, etcd');
    if (selections.has(name)) return refuse(`${at}.name`, `is there twice: ${name}`);
    selections.set(
      name,
      connectionOf(membersOf(entry['connection']), (path, why) => refuse(`${at}.connection${path}`, why)),
    );
  }
  return selections;
}

type Refuse = (path: string, why: string) => never;

function connectionOf(connection: JsonObject, refuse: Refuse): Connection {
  const protocol = textAt(connection, 'proxyProtocol');
  const transport = membersOf(connection['transport']);
  const [tcp, uds] = ['tcp', 'uds'].map((name) =>
    transport[name] === undefined || transport[name] === null ? null : membersOf(transport[name]),
  );
  if (protocol === 'Direct') return tcp || uds ? refuse('.transport', 'must be absent for Direct') : { protocol };
  if (protocol !== 'HTTPConnect' && protocol !== 'GRPC') return refuse('.proxyProtocol', 'must be one of Direct, HTTPConnect, GRPC');
  if (tcp && uds) return refuse('.transport', 'must have one of tcp and uds, not both');
  if (uds) {
    const path = socketPath(textAt(uds, 'udsName').replace(/^unix:(?:\/\/)?/, ''));
    return /^[/\0]./.test(path)
      ? { protocol, transport: { path } }
      : refuse('.transport.uds.udsName', 'must be the absolute path of a socket, or @ and a name');
  }
  return tcp ? { protocol, transport: tcpOf(tcp, refuse) } : refuse('.transport', `must have tcp or uds for ${protocol}`);
}

function tcpOf(tcp: JsonObject, refuse: Refuse): Transport {
  const url = urlOf(textAt(tcp, 'url'));
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return refuse('.transport.tcp.url', 'must be a URL that begins with https:// or http://');
  const { hostname, protocol } = url;
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(url.port === '' ? (protocol === 'https:' ? 443 : 80) : url.port) };
  const config = tcp['tlsConfig'];
  if (protocol === 'http:')
    return config ? refuse('.transport.tcp.tlsConfig', 'must be absent for a URL without TLS') : { ...place, tls: null };
  if (!config) return refuse('.transport.tcp.tlsConfig', 'must be there for a URL with TLS');
  const members = membersOf(config);
  const [ca, cert, key] = (['caBundle', 'clientCert', 'clientKey'] as const).map((name) => fileAt(members, name, refuse));
  if ((cert === null) !== (key === null))
    return refuse('.transport.tcp.tlsConfig', 'must have both of clientCert and clientKey, or neither');
  const servername = textAt(members, 'tlsServerName');
  return {
    ...place,
    tls: { ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}), ...(servername === '' ? {} : { servername }) },
  };
}

function fileAt(members: JsonObject, name: string, refuse: Refuse): Buffer | null {
  const file = textAt(members, name);
  if (file === '') return null;
  try {
    return readFileSync(file);
  } catch (cause) {
    return refuse(`.transport.tcp.tlsConfig.${name}`, `cannot be read: ${(cause as Error).message}`);
  }
}

function urlOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
