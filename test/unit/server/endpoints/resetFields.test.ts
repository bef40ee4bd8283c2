import { expect } from 'chai';
import type { JsonObject } from '../../../../api/object.js';
import { qualifiedName } from '../../../../api/resource.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { spellPath } from '../../../../server/patch/apply/describe.js';
import { signingRequest } from '../../../fixtures/signingRequest.js';
import { definition, ExtensionServer } from '../extensions/harness.js';
import { call, type Answer } from './client.js';
import { startTestServer, type TestServer } from './harness.js';

/**
 * The reference's fields that a write resets (`GetResetFields` in `pkg/registry`, kube-aggregator and apiextensions-apiserver, of the path's storage), by
 * resource and path. Other paths reset nothing.
 */
const [own, content, all] = ['.status', '.spec', '.metadata .spec'];
const facts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'validatingadmissionpolicies.admissionregistration.k8s.io': { '': own, status: all },
  'customresourcedefinitions.apiextensions.k8s.io': { '': own, status: content },
  'apiservices.apiregistration.k8s.io': { '': own, status: all },
  'daemonsets.apps': { '': own, status: content },
  'deployments.apps': { '': own, status: '.metadata.labels .spec' },
  'replicasets.apps': { '': own, status: content },
  'statefulsets.apps': { '': own, status: content },
  'horizontalpodautoscalers.autoscaling': { '': own, status: content },
  'cronjobs.batch': { '': own, status: content },
  'jobs.batch': { '': own, status: content },
  'certificatesigningrequests.certificates.k8s.io': {
    '': '.spec .status',
    status: '.spec .status.conditions',
    approval: '.spec .status.certificate',
  },
  'podcertificaterequests.certificates.k8s.io': { status: content },
  'flowschemas.flowcontrol.apiserver.k8s.io': { '': own, status: all },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { '': own, status: all },
  'storageversions.internal.apiserver.k8s.io': { '': own, status: all },
  'ingresses.networking.k8s.io': { '': own, status: content },
  'servicecidrs.networking.k8s.io': { '': own, status: all },
  'poddisruptionbudgets.policy': { '': own, status: content },
  'devicetaintrules.resource.k8s.io': { '': own, status: all },
  'resourceclaims.resource.k8s.io': { '': own, status: all },
  'resourcepoolstatusrequests.resource.k8s.io': { '': own, status: all },
  'podgroups.scheduling.k8s.io': { status: all },
  'volumeattachments.storage.k8s.io': { '': own, status: all },
  'storageversionmigrations.storagemigration.k8s.io': { '': own, status: all },
  namespaces: { '': own, status: content, finalize: own },
  nodes: { '': own, status: content },
  persistentvolumeclaims: { '': own, status: content },
  persistentvolumes: { '': own, status: content },
  pods: { '': own, status: '.metadata.deletionTimestamp .metadata.ownerReferences .spec' },
  replicationcontrollers: { '': own, status: content },
  resourcequotas: { '': own, status: content },
  services: { '': own, status: content },
};

/** Paths for whole objects. */
const writtenAt = (
  subresources: ReadonlyMap<string, { readonly kind: string; readonly verbs: ReadonlySet<string> }>,
  kind: string,
): string[] => ['', ...[...subresources].filter(([, each]) => each.kind === kind && each.verbs.has('update')).map(([name]) => name)];

describe('fields that a write takes back', () => {
  it('are those of the reference for every kind and path', () => {
    const catalogue = createCatalogue({ serves: () => true });
    for (const { versions } of catalogue.groups)
      for (const { resources } of versions)
        for (const { group, resource, kind, subresources, behaviour } of resources)
          for (const path of writtenAt(subresources, kind)) {
            const name = qualifiedName({ group, resource });
            const resets = [...behaviour.strategy.through(path).resets.paths()].map(spellPath).sort();
            expect(resets.join(' '), `${name}/${path}`).to.equal(facts[name]?.[path] ?? '');
          }
  });

  it('are the metadata and the specification for the status of custom resources', async () => {
    const server = await ExtensionServer.start();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const version = { name: 'v1', served: true, storage: true, schema };
    await server.define(definition('things', 'Thing', { versions: [{ ...version, subresources: { status: {} } }] }));
    await server.define(definition('plain', 'Plain', { versions: [version] }));
    const resets = (plural: string, path: string): string[] =>
      [...server.target('v1', plural, 'x').resource.behaviour.strategy.through(path).resets.paths()].map(spellPath).sort();
    expect(resets('things', '')).to.deep.equal(['.status']);
    expect(resets('things', 'status')).to.deep.equal(['.metadata', '.spec']);
    expect(resets('plain', '')).to.deep.equal([]);
    server.stop();
  });

  describe('over HTTP', () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer();
    });
    after(() => server.close());

    const apply = async (path: string, body: JsonObject, query = ''): Promise<JsonObject> =>
      done(await call(server.url, 'PATCH', `${path}?fieldManager=me${query}`, { type: 'application/apply-patch+yaml', body }));
    const create = async (path: string, body: JsonObject): Promise<JsonObject> => done(await call(server.url, 'POST', path, { body }));
    const done = ({ status, text, body }: Answer): JsonObject => {
      expect(status, text).to.be.lessThan(300);
      return body;
    };
    /** Fields of one manager: `manager/subresource`. */
    const fieldsOf = (object: JsonObject, who: string): unknown =>
      ((object['metadata'] as { managedFields?: JsonObject[] }).managedFields ?? []).find(
        ({ manager, subresource = '' }) => `${String(manager)}/${String(subresource)}` === who,
      )?.['fieldsV1'];

    it('are not owned by who applies them to a status, and in nobody’s way', async () => {
      const levels = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
      const level: JsonObject = {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'l', labels: { a: '1' } },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
      };
      await create(levels, level);
      const conditions = [{ type: 'x', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'r', message: 'm' }];
      const written = await apply(`${levels}/l/status`, { ...level, metadata: { name: 'l', labels: { a: '2' } }, status: { conditions } });
      expect((written['metadata'] as JsonObject)['labels']).to.deep.equal({ a: '1' });
      expect(Object.keys(fieldsOf(written, 'me/status') as object)).to.deep.equal(['f:status']);
    });

    it('are the labels alone for the status of a Deployment', async () => {
      const path = '/apis/apps/v1/namespaces/default/deployments';
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const deployment: JsonObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } };
      await create(path, { ...deployment, spec: { selector: { matchLabels: { a: 'b' } }, template } });
      const metadata = { name: 'd', labels: { q: '1' }, annotations: { s: '1' } };
      const written = await apply(`${path}/d/status`, { ...deployment, metadata, status: { replicas: 1 } });
      expect(fieldsOf(written, 'me/status')).to.deep.equal({
        'f:metadata': { 'f:annotations': { 'f:s': {} } },
        'f:status': { 'f:replicas': {} },
      });
    });

    it('leaves to their sender what else a write does not take over, and to nobody what the server writes', async () => {
      const merge = { type: 'application/merge-patch+json' };
      await create('/api/v1/namespaces', { metadata: { name: 'n' } });
      const patched = done(
        await call(server.url, 'PATCH', '/api/v1/namespaces/n', { ...merge, body: { spec: { finalizers: ['a.b/c'] } } }),
      );
      expect(patched['spec']).to.deep.equal({ finalizers: ['kubernetes'] });
      expect(JSON.stringify(patched['metadata'])).to.include('"f:spec":{"f:finalizers":{}}');
      const volume = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
      await create('/api/v1/persistentvolumes', { metadata: { name: 'v' }, spec: volume });
      const status = { status: { phase: 'Bound', lastPhaseTransitionTime: null } };
      const bound = done(await call(server.url, 'PATCH', '/api/v1/persistentvolumes/v/status', { ...merge, body: status }));
      expect((bound['status'] as JsonObject)['lastPhaseTransitionTime']).to.be.a('string');
      expect(JSON.stringify(bound['metadata'])).to.not.include('f:lastPhaseTransitionTime');
    });

    it('stay in a Node that an apply creates, but are not owned', async () => {
      const node: JsonObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { capacity: { cpu: '4' } } };
      const made = await apply('/api/v1/nodes/n', node);
      expect((made['status'] as JsonObject)['capacity']).to.deep.equal({ cpu: '4' });
      expect(fieldsOf(made, 'me/')).to.equal(undefined);
    });

    it('are the specification of a CertificateSigningRequest, from its creation on', async () => {
      const request = await signingRequest('somebody');
      const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All';
      const answer = await call(server.url, 'POST', path, {
        body: {
          apiVersion: 'certificates.k8s.io/v1',
          kind: 'CertificateSigningRequest',
          metadata: { name: 'r', labels: { a: 'b' } },
          spec: { request, signerName: 'example.com/s', usages: ['client auth'] },
        },
      });
      expect(fieldsOf(done(answer), 'unknown/')).to.deep.equal({ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } });
    });

    it('are not what was there before the first apply through the same path', async () => {
      const path = '/api/v1/namespaces/default/resourcequotas';
      const quota: JsonObject = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 's', labels: { a: '1' } } };
      await create(path, { ...quota, spec: { hard: { pods: '1' } } });
      done(
        await call(server.url, 'PATCH', `${path}/s`, {
          type: 'application/merge-patch+json',
          body: { metadata: { managedFields: [{}] } },
        }),
      );
      const written = await apply(`${path}/s/status`, { ...quota, metadata: { name: 's' }, status: { hard: { pods: '1' } } });
      const before = fieldsOf(written, 'before-first-apply/status') as JsonObject;
      expect(before['f:metadata']).to.deep.equal({ 'f:labels': { '.': {}, 'f:a': {} } });
      expect(before).not.to.have.property('f:spec');
    });

    it('are the time of deletion for the status of a Pod, which is not refused', async () => {
      const path = '/api/v1/namespaces/default/pods';
      const pod: JsonObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
      await create(path, { ...pod, spec: { containers: [{ name: 'c', image: 'i' }] } });
      const metadata = { name: 'p', deletionTimestamp: '2020-01-01T00:00:00Z' };
      const written = await apply(`${path}/p/status`, { ...pod, metadata, status: { message: 'm' } });
      expect(written['metadata']).not.to.have.property('deletionTimestamp');
      expect(fieldsOf(written, 'me/status')).to.deep.equal({ 'f:status': { 'f:message': {} } });
    });
  });
});
