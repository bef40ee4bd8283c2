import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { completionOf, referenceKinds, storedKinds, storedResourceTypes } from '../../../../../server/kinds/index.js';
import { DamagedValueError, encodeStored, itemOf, decodeItem, sourceOf } from '../../../../../server/storage/encoding.js';
import { noSelectableFields, resourceFacts, storedObjectOf } from '../../../../../server/storage/storedObject.js';
import { referenceLayout } from '../../../../../server/storage/keyLayout.js';
import { KeySpace } from '../../../../../server/storage/keys.js';
import type { ReferenceForm } from '../../../../../server/storage/reference/values.js';
import { packageRoot } from '../../../../fixtures/packageRoot.js';

interface Recorded {
  readonly keys: readonly { readonly key: string; readonly value: string; readonly mod_revision: number }[];
  readonly objects: readonly { readonly path: string; readonly object: ApiObject }[];
}

const recorded = JSON.parse(readFileSync(path.join(packageRoot, 'test/fixtures/etcd/plain.json'), 'utf8')) as Recorded;
const layout = referenceLayout(storedResourceTypes());
const keys = new KeySpace('/registry', layout);
const builtInKind = storedKinds();
const form: ReferenceForm = {
  mediaType: 'application/vnd.kubernetes.protobuf',
  kindOf: (resource) => {
    const kind = builtInKind(resource);
    if (kind !== null) return { kind, builtIn: true };
    return resource.group === 'example.com' ? { kind: 'Widget', builtIn: false } : null;
  },
};

describe('storage/reference: what kube-apiserver keeps in etcd', () => {
  it('has keys that are read and written as they are', () => {
    for (const { key } of recorded.keys) {
      const parsed = keys.parse(key);
      expect(parsed, key).not.to.equal(null);
      const { group = '', resource = '', namespace = '', name = '' } = parsed ?? {};
      expect(keys.keyOf({ resource: { group, resource }, namespace, name })).to.equal(key);
    }
  });

  it('keeps odd resources where they have always been', () => {
    const keyOf = (group: string, resource: string, namespace: string): string =>
      keys.keyOf({ resource: { group, resource }, namespace, name: 'x' });
    expect(keyOf('', 'nodes', '')).to.equal('/registry/minions/x');
    expect(keyOf('', 'replicationcontrollers', 'a')).to.equal('/registry/controllers/a/x');
    expect(keyOf('', 'endpoints', 'a')).to.equal('/registry/services/endpoints/a/x');
    expect(keyOf('networking.k8s.io', 'ingresses', 'a')).to.equal('/registry/ingress/a/x');
    expect(keyOf('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', '')).to.equal(
      '/registry/mutatingwebhookconfigurations/x',
    );
    expect(keyOf('example.com', 'widgets', 'a')).to.equal('/registry/example.com/widgets/a/x');
  });

  it('has values that are written back byte for byte', () => {
    for (const { key, value, mod_revision: version } of recorded.keys) {
      const { group = '', resource = '', namespace = '', name = '' } = keys.parse(key) ?? {};
      const objectKey = { resource: { group, resource }, namespace, name };
      const bytes = Buffer.from(value, 'base64');
      const item = itemOf(objectKey, bytes, version);
      const object = { ...decodeItem(item.bytes, item.bigIntegers), apiVersion: item.apiVersion };
      expect(encodeStored(objectKey, object, form).toString('latin1'), key).to.equal(bytes.toString('latin1'));
    }
  });

  it('keeps custom objects in CBOR where that is switched on, and reads both whichever is', () => {
    const key = { resource: { group: 'example.com', resource: 'widgets' }, namespace: 'ns', name: 'w' };
    const object: ApiObject = {
      apiVersion: 'example.com/v1',
      metadata: { name: 'w', namespace: 'ns', labels: { a: 'b' }, resourceVersion: '7' },
      spec: { size: 3, ratio: 0.5, text: 'é', list: [null, true], absent: undefined } as unknown as JsonObject,
    };
    const cbor = encodeStored(key, object, { ...form, cbor: true });
    expect(cbor.subarray(0, 3).toString('hex')).to.equal('d9d9f7');
    for (const value of [cbor, encodeStored(key, object, form)]) {
      expect(sourceOf(key, value, 9).apiVersion).to.equal('example.com/v1');
      const item = itemOf(key, value, 9);
      expect(decodeItem(item.bytes, item.bigIntegers)).to.deep.equal({
        metadata: { name: 'w', namespace: 'ns', labels: { a: 'b' }, resourceVersion: '9' },
        spec: { size: 3, ratio: 0.5, text: 'é', list: [null, true] },
      });
    }
    const map = { resource: { group: '', resource: 'configmaps' }, namespace: 'ns', name: 'm' };
    const stored = encodeStored(map, { apiVersion: 'v1', metadata: { name: 'm', namespace: 'ns' } }, { ...form, cbor: true });
    expect(stored.toString('latin1', 0, 4)).to.equal('k8s\0');
  });

  it('says which version values have without reading them, and definitions are in the one that is served', () => {
    const versionAt = (key: string): string => {
      const value = Buffer.from(recorded.keys.find((each) => each.key === key)?.value ?? '', 'base64');
      return sourceOf({ resource: { group: '', resource: '' }, namespace: '', name: '' }, value, 1).apiVersion;
    };
    expect(versionAt('/registry/deployments/ns-one/v0')).to.equal('apps/v1');
    expect(versionAt('/registry/example.com/widgets/ns-one/w')).to.equal('example.com/v1');
    expect(versionAt('/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com')).to.equal('apiextensions.k8s.io/v1');
    expect(versionAt('/registry/apiregistration.k8s.io/apiservices/v1.')).to.equal('apiregistration.k8s.io/v1');
  });

  it('is completed when it is read, for readers and for selectors, as kube-apiserver completes it; what we stored is left as it is', () => {
    const resource = { group: 'batch', resource: 'jobs' };
    const job = { key: { resource, namespace: 'ns-one', name: 'v0' }, stored: '/registry/jobs/ns-one/v0' };
    const value = Buffer.from(recorded.keys.find(({ key }) => key === job.stored)?.value ?? '', 'base64');
    const shown = recorded.objects.find(({ path: where }) => where.endsWith('/batch/v1/namespaces/ns-one/jobs/v0'))!.object;
    const facts = resourceFacts(resource, noSelectableFields, { completions: completionOf });
    const object = storedObjectOf(facts, job.key, Number(shown.metadata.resourceVersion), value);
    expect(object.decode().metadata.labels).to.deep.equal(shown.metadata.labels);
    expect(object.labels).to.deep.equal(shown.metadata.labels);
    const bare = resourceFacts(resource, noSelectableFields);
    const asStored = storedObjectOf(bare, job.key, 1, value);
    expect(asStored.labels).to.deep.equal({});
    const ours = encodeStored(job.key, { ...asStored.decode(), apiVersion: 'batch/v1' });
    expect(storedObjectOf(facts, job.key, 1, ours).labels).to.deep.equal({});
  });

  describe('from older releases', () => {
    const read = (group: string, resource: string, stored: JsonObject): ApiObject => {
      const type = { group, resource };
      const facts = resourceFacts(type, noSelectableFields, { completions: completionOf });
      return storedObjectOf(facts, { resource: type, namespace: 'n', name: 'x' }, 1, Buffer.from(JSON.stringify(stored))).decode();
    };
    const metadata = { name: 'x', namespace: 'n' };

    it('has the one address of a service in its list, with the family', () => {
      const service = (spec: JsonObject): ApiObject =>
        read('', 'services', { kind: 'Service', apiVersion: 'v1', metadata, spec: { type: 'ClusterIP', ports: [{ port: 80 }], ...spec } });
      const { clusterIPs, ipFamilies, ipFamilyPolicy } = service({ clusterIP: '10.0.0.7' })['spec'] as JsonObject;
      expect([clusterIPs, ipFamilies, ipFamilyPolicy]).to.deep.equal([['10.0.0.7'], ['IPv4'], 'SingleStack']);
      expect(service({ clusterIP: 'fd00::7' })['spec']).to.deep.include({ clusterIPs: ['fd00::7'], ipFamilies: ['IPv6'] });
      expect(service({ clusterIP: 'None' })['spec'])
        .to.deep.include({ clusterIPs: ['None'] })
        .and.not.have.property('ipFamilies');
      expect(service({ type: 'ExternalName', externalName: 'a.b' })['spec']).to.not.have.property('clusterIPs');
    });

    it('selects the pods that a budget selected: an empty selector was none', () => {
      const selectorOf = (apiVersion: string, selector: JsonObject): unknown =>
        (
          read('policy', 'poddisruptionbudgets', { kind: 'PodDisruptionBudget', apiVersion, metadata, spec: { selector } })[
            'spec'
          ] as JsonObject
        )['selector'];
      const key = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
      const none = { matchExpressions: [{ key, operator: 'Exists' }] };
      expect(selectorOf('policy/v1beta1', {})).to.deep.equal(none);
      expect(selectorOf('policy/v1beta1', { matchExpressions: [{ key, operator: 'DoesNotExist' }] })).to.deep.equal({});
      expect(selectorOf('policy/v1beta1', { matchLabels: { a: 'b' } })).to.deep.equal({ matchLabels: { a: 'b' } });
      expect(selectorOf('policy/v1', {})).to.deep.equal({});
    });

    it('is brought into the version of today where members differ', () => {
      const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' }, targetCPUUtilizationPercentage: 70 };
      const scaler = read('autoscaling', 'horizontalpodautoscalers', {
        kind: 'HorizontalPodAutoscaler',
        apiVersion: 'autoscaling/v1',
        metadata,
        spec,
      })['spec'] as JsonObject;
      expect(scaler['metrics']).to.deep.equal([
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      ]);
      expect(scaler).to.not.have.property('targetCPUUtilizationPercentage');
    });
  });

  const claimKey = { resource: { group: 'resource.k8s.io', resource: 'resourceclaims' }, namespace: 'a', name: 'c' };
  const request = { name: 'r', exactly: { deviceClassName: 'd', allocationMode: 'ExactCount', count: 1 } };
  const claim = { apiVersion: 'resource.k8s.io/v1', metadata: { name: 'c', namespace: 'a' }, spec: { devices: { requests: [request] } } };
  const writtenAt = (minor: number, key: typeof claimKey, object: object): Buffer =>
    encodeStored(key, object as ApiObject, { mediaType: 'application/json', kindOf: referenceKinds(minor, () => null) });

  for (const [minor, versions] of Object.entries({
    36: { claims: 'v1', classes: 'v1', addresses: 'v1', taints: 'v1alpha3', policies: 'v1beta1' },
    34: { claims: 'v1beta2', classes: 'v1beta1', addresses: 'v1', taints: 'v1alpha3', policies: 'v1beta1' },
    33: { claims: 'v1beta1', classes: 'v1beta1', addresses: 'v1beta1', taints: 'v1alpha3', policies: 'v1beta1' },
  }))
    it(`is written in versions that the release before 1.${minor} reads when that is emulated`, () => {
      const versionOf = (group: string, resource: string): string => {
        const value = writtenAt(
          Number(minor),
          { ...claimKey, resource: { group, resource } },
          { ...claim, apiVersion: `${group}/v1`, spec: {} },
        );
        return (JSON.parse(value.toString()) as { readonly apiVersion: string }).apiVersion.replace(`${group}/`, '');
      };
      expect({
        claims: versionOf('resource.k8s.io', 'resourceclaims'),
        classes: versionOf('storage.k8s.io', 'volumeattributesclasses'),
        addresses: versionOf('networking.k8s.io', 'ipaddresses'),
        taints: versionOf('resource.k8s.io', 'devicetaintrules'),
        policies: versionOf('admissionregistration.k8s.io', 'mutatingadmissionpolicies'),
      }).to.deep.equal(versions);
    });

  it('is converted on its way there and back, and by itself stays as it is', () => {
    const before = structuredClone(claim);
    const value = writtenAt(33, claimKey, claim);
    expect((JSON.parse(value.toString()) as typeof claim).spec.devices.requests).to.deep.equal([{ name: 'r', ...request.exactly }]);
    expect(claim).to.deep.equal(before);
    const facts = resourceFacts(claimKey.resource, noSelectableFields, { completions: completionOf });
    const read = storedObjectOf(facts, claimKey, 1, value);
    expect(read.apiVersion).to.equal('resource.k8s.io/v1');
    expect(read.decode()['spec']).to.deep.equal(claim.spec);
  });

  it('is damaged where it cannot be completed, and nothing else is', () => {
    const { key, value } = recorded.keys.find((each) => each.key === '/registry/jobs/ns-one/v0')!;
    const { group = '', resource = '', namespace = '', name = '' } = keys.parse(key) ?? {};
    const facts = resourceFacts({ group, resource }, noSelectableFields, {
      completions: () => ({
        apiVersion: 'batch/v1',
        convert: (job) => job,
        complete: () => {
          throw new Error('no template');
        },
      }),
    });
    const object = storedObjectOf(facts, { resource: { group, resource }, namespace, name }, 1, Buffer.from(value, 'base64'));
    expect(() => object.decode()).to.throw(DamagedValueError, 'it cannot be completed: no template');
    expect(object.labels).to.deep.equal({});
  });

  it('sorts and escapes custom objects as Go does', () => {
    const key = { resource: { group: 'example.com', resource: 'widgets' }, namespace: 'a', name: 'x' };
    const object = { apiVersion: 'example.com/v1', metadata: { name: 'x' }, spec: { b: '<&>', '10': 1, '9': 2, a: null, big: 2n ** 60n } };
    expect(encodeStored(key, object as unknown as ApiObject, form).toString()).to.equal(
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"10":1,"9":2,"a":null,"b":"\\u003c\\u0026\\u003e","big":1152921504606846976}}\n',
    );
  });

  it('reads definitions with the defaults of the version in which they are kept', () => {
    const resource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
    const key = { resource, namespace: '', name: 'x.example.com' };
    const specOf = (spec: object): JsonObject => {
      const kept = { apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'CustomResourceDefinition', metadata: { name: key.name }, spec };
      const { bytes } = itemOf(key, Buffer.from(JSON.stringify(kept)), 7);
      return (JSON.parse(bytes.toString()) as { readonly spec: JsonObject }).spec;
    };
    const conversion = { strategy: 'Webhook', webhookClientConfig: { url: 'https://a' } };
    expect(specOf({ group: 'example.com', version: 'v1', conversion })).to.deep.equal({
      group: 'example.com',
      versions: [{ name: 'v1', served: true, storage: true }],
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1beta1'] } },
      preserveUnknownFields: true,
    });
    expect(specOf({ preserveUnknownFields: false })).to.deep.equal({ versions: [] });
  });

  it('keeps what versions of a definition do not share', () => {
    const key = {
      resource: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
      namespace: '',
      name: 'x.example.com',
    };
    const version = (name: string, type: string): object => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: { openAPIV3Schema: { type } },
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
    });
    const spec = {
      group: 'example.com',
      names: { plural: 'x', kind: 'X' },
      scope: 'Namespaced',
      versions: [version('v1', 'object'), version('v2', 'array')],
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } },
    };
    const object = { apiVersion: 'apiextensions.k8s.io/v1', metadata: { name: 'x.example.com' }, spec } as unknown as ApiObject;
    const stored = encodeStored(key, object, form);
    const kept = (JSON.parse(stored.toString()) as { readonly apiVersion: string; readonly spec: Record<string, unknown> }).spec;
    expect(kept['additionalPrinterColumns']).to.deep.equal([{ name: 'A', type: 'string', JSONPath: '.a' }]);
    expect(kept).not.to.have.property('validation');
    expect(kept['conversion']).to.deep.equal({
      strategy: 'Webhook',
      webhookClientConfig: { url: 'https://a' },
      conversionReviewVersions: ['v1'],
    });
    const back = itemOf(key, stored, 7);
    expect(JSON.parse(back.bytes.toString())).to.deep.equal({ metadata: { name: 'x.example.com', resourceVersion: '7' }, spec });
  });
});
