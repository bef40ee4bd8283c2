import { expect } from 'chai';
import type { KubeObject } from '../../api/meta/object.js';
import { startApiServer, type TestCluster } from '../../deploy/testing/index.js';
import { widgets } from '../fixtures/widgets.js';

const widget = (name: string): object => ({
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
});

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('cluster/testing library: webhooks from manifests', () => {
  let server: TestCluster;
  before(async () => {
    server = await startApiServer();
  });
  after(() => server.stop());

  it('points services to a webhook of the test, by path, and fills in bundles, also of conversions', async () => {
    const webhook = await server.serveWebhook({
      admit: { '/validate': ({ name }) => name !== 'refused', '/mutate': ({ object }) => ({ ...object, seen: true }) as KubeObject },
      convert: (object, apiVersion) => ({ ...object, apiVersion, converted: true }) as KubeObject,
    });
    const service = { namespace: 'system', name: 'webhooks' };
    const hook = (name: string, path: string): object => ({
      name: `${name}.example.org`,
      clientConfig: { service: { ...service, path } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [{ apiGroups: ['example.org'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] }],
    });
    const version = widgets.spec.versions[0]!;
    const clientConfig = { service: { ...service, path: '/convert' } };
    await server.installWebhooks(
      webhook,
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'm' },
        webhooks: [hook('m', '/mutate')],
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'v' },
        webhooks: [hook('v', '/validate')],
      },
      {
        ...widgets,
        spec: {
          ...widgets.spec,
          versions: [version, { ...version, name: 'v2', storage: false }],
          conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
        },
      },
    );
    expect((await server.apply(widget('made')))[0]).to.include({ seen: true });
    expect(await failure(server.apply(widget('refused'))))
      .to.have.property('message')
      .that.contains('denied the request');
    const second = { apiVersion: 'example.org/v2', kind: 'Widget', metadata: { name: 'made' } };
    expect(await server.get(second)).to.include({ converted: true, apiVersion: 'example.org/v2' });
    expect(await failure(server.installWebhooks(webhook, widget('none'))))
      .to.have.property('message')
      .that.contains('names a webhook');
  });
});
