import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeAgent } from '../fixtures/fakeAgent.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { Target, type TargetOptions } from './target.js';

/** A server with a node `n` that runs the pod `default/p`, and an extension server for `ext.example.com/v1`; both record what reaches them. */
export interface TargetWithBackends {
  readonly target: Target;
  readonly node: FakeAgent;
  readonly extension: FakeAgent;
  stop(): Promise<void>;
}

export const extensionGroup = 'ext.example.com';
/** The API server's name for its backends; `Seen.client` has what they saw. */
export const shownToBackends = 'apiserver';
const pollMs = 20;

export async function startWithBackends(options: TargetOptions = {}): Promise<TargetWithBackends> {
  const [node, extension] = await Promise.all([FakeAgent.start(), FakeAgent.start()]);
  const home = temporaryDirectory('backends');
  const file = (name: string, text: string | Buffer): string => {
    fs.writeFileSync(path.join(home, name), text, { mode: 0o600 });
    return path.join(home, name);
  };
  const target = await Target.start({
    ...options,
    flags: [
      `--kubelet-certificate-authority=${file('node-ca.crt', node.ca)}`,
      `--kubelet-client-certificate=${file('node.crt', node.client.certificate)}`,
      `--kubelet-client-key=${file('node.key', node.client.key)}`,
      '--kubelet-preferred-address-types=InternalIP',
      `--proxy-client-cert-file=${file('proxy.crt', extension.client.certificate)}`,
      `--proxy-client-key-file=${file('proxy.key', extension.client.key)}`,
      '--disable-admission-plugins=ServiceAccount',
      ...(options.flags ?? []),
    ],
  });
  await Promise.all([addNode(target, node.port), addExtension(target, extension.port)]);
  extension.seen.length = 0;
  const stop = async (): Promise<void> => {
    await target.stop();
    await Promise.all([node.close(), extension.close()]);
  };
  return { target, node, extension, stop };
}

async function addNode({ admin }: Target, port: number): Promise<void> {
  await admin.expect(201, 'POST', '/api/v1/nodes', { body: { metadata: { name: 'n' } } });
  const type = 'application/merge-patch+json';
  const status = { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await admin.expect(200, 'PATCH', '/api/v1/nodes/n/status', { type, body: { status } });
  await admin.expect(201, 'POST', '/api/v1/namespaces/default/pods', {
    body: { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } },
  });
  await admin.expect(200, 'PATCH', '/api/v1/namespaces/default/pods/p/status', { type, body: { status: { phase: 'Running' } } });
}

/** Waits until each replica has found it. */
async function addExtension(target: Target, port: number): Promise<void> {
  const { admin, cluster } = target;
  await admin.expect(201, 'POST', '/api/v1/namespaces/default/services', {
    body: { metadata: { name: 'ext' }, spec: { type: 'ExternalName', externalName: 'localhost' } },
  });
  await admin.expect(201, 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    body: {
      metadata: { name: `v1.${extensionGroup}` },
      spec: {
        group: extensionGroup,
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'ext', port },
      },
    },
  });
  for (const member of cluster.members) {
    const client = target.as('admin', member.address);
    while ((await client.request('GET', `/apis/${extensionGroup}/v1/ready`)).status !== 200) await delay(pollMs);
  }
}
