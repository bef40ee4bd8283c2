import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { settleEmpty, withoutEmpty } from '../../../../server/registry/emptyLists.js';
import { sameInMemory } from '../../../../api/json/equality.js';
import { checkStructure } from '../../../../workers/schema/structure.js';
import { typeOfKind } from '../../../../api/catalogue/types.js';
import type { JsonMembers } from '../../../../workers/codecs/value.js';
import { causes, createSample, refusal } from './sample.js';

/** Empty lists and maps: distinct from absent ones in memory, but not in storage. */

const kindOf = (object: JsonObject): { group: string; version: string; kind: string } => {
  const [group = '', version = ''] = String(object['apiVersion']).includes('/')
    ? String(object['apiVersion']).split('/')
    : ['', String(object['apiVersion'])];
  return { group, version, kind: String(object['kind']) };
};
/** Decodes an object like a body. */
function received(object: JsonObject): ApiObject {
  const checked = checkStructure(structuredClone(object) as JsonMembers, typeOfKind(kindOf(object))!, { unknownFields: 'report' });
  if (!checked.ok) throw new Error(checked.message);
  return checked.value as unknown as ApiObject;
}
const policy = (spec: JsonObject): JsonObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'p' },
  spec,
});
const template = (metadata: JsonObject): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaimTemplate',
  metadata: { name: 't' },
  spec: { metadata, spec: { devices: {} } },
});
const pod = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

describe('registry, what is empty', () => {
  it('is dropped from bodies, but for where it tells something', () => {
    const object = received(
      policy({ egress: [], podSelector: { matchLabels: {} }, ingress: [{ ports: [], from: [{ podSelector: {} }] }] }),
    );
    expect(object['spec']).to.deep.equal({
      egress: [],
      podSelector: { matchLabels: {} },
      ingress: [{ ports: [], from: [{ podSelector: {} }] }],
    });
    expect(received(template({ finalizers: [], labels: {} }))['spec'])
      .to.have.property('metadata')
      .that.deep.equals({ finalizers: [] });
    expect(received({ ...pod({ tolerations: [] }), metadata: { name: 'p', finalizers: [] } })).to.not.have.nested.property(
      'spec.tolerations',
    );
  });

  it('is not kept, and belongs to nobody', () => {
    const sent = policy({ egress: [], podSelector: { matchLabels: {} }, ingress: [{ ports: [], from: [{ podSelector: {} }] }] });
    const wanted = { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] };
    const object = received(sent);
    expect(withoutEmpty(object, kindOf(sent))['spec']).to.deep.equal(wanted);
    expect(object['spec'], 'left alone').to.have.property('egress');
    settleEmpty(object, kindOf(sent));
    expect(object['spec']).to.deep.equal(wanted);
    expect(withoutEmpty(object, kindOf(sent))).to.equal(object);
  });

  it('differs from none in memory', () => {
    expect(sameInMemory({ a: [], b: null }, { a: [] })).to.equal(true);
    for (const empty of [[], {}]) {
      expect(sameInMemory({ a: empty }, {})).to.equal(false);
      expect(sameInMemory({ a: empty }, { a: null })).to.equal(false);
      expect(sameInMemory({ a: [{ b: empty }] }, { a: [{ b: empty }] })).to.equal(true);
      expect(sameInMemory({ a: [{ b: empty }] }, { a: [{}] })).to.equal(false);
    }
    expect(sameInMemory([1, 'a', { b: true }], [1, 'a', { b: true }])).to.equal(true);
    expect(sameInMemory([1], [1, 2])).to.equal(false);
    expect(sameInMemory({ a: 1 }, [1])).to.equal(false);
  });

  it('counts as a change of a network policy, which is stored without', async () => {
    const sample = await createSample();
    const object = received(policy({ podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] })) as unknown as JsonObject;
    await sample.create(structuredClone(object));
    const changed = await sample.update(object, (stored) => {
      (stored['spec'] as JsonObject)['egress'] = [];
    });
    expect(changed.metadata.generation).to.equal(2);
    expect(changed['spec']).to.not.have.property('egress');
    const labelled = await sample.update(object, (stored) => {
      stored.metadata.labels = { a: 'b' };
    });
    expect(labelled.metadata.generation).to.equal(2);
    expect(JSON.stringify(labelled.metadata.managedFields ?? [])).to.not.contain('f:egress');
  });

  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'])
    it(`counts as a change of the hooks of a ${kind}, other than what says the same`, async () => {
      const sample = await createSample();
      const hook = {
        name: 'a.example.com',
        clientConfig: { url: 'https://a.example/' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: {},
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
      };
      const sent = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'h' }, webhooks: [hook] };
      const object = received(sent) as unknown as JsonObject;
      await sample.create(structuredClone(object));
      const after = async (more: JsonObject): Promise<unknown> =>
        (
          await sample.update(object, (stored) => {
            stored['webhooks'] = received({ ...sent, webhooks: [{ ...hook, ...more }] } as JsonObject)['webhooks'] ?? null;
          })
        ).metadata.generation;
      expect(await after({})).to.equal(1);
      expect(await after({ failurePolicy: 'Fail', timeoutSeconds: 10 })).to.equal(1);
      expect(await after({ matchConditions: [] })).to.equal(2);
      expect(await after({})).to.equal(2);
      expect(await after({ namespaceSelector: { matchLabels: {} } })).to.equal(3);
      expect((await sample.get(`admissionregistration.k8s.io/v1/${kind}`, 'h'))['webhooks']).to.not.have.nested.property(
        '0.matchConditions',
      );
    });

  for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'])
    it(`counts as a change where a ${kind} has no hooks, each time (validatingwebhookconfiguration/strategy.go)`, async () => {
      const sample = await createSample();
      const sent = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'h' } };
      await sample.create(received(sent) as unknown as JsonObject);
      const empty = received({ ...sent, webhooks: [] });
      for (const generation of [2, 3]) {
        const changed = await sample.update(sent, (stored) => {
          stored['webhooks'] = structuredClone(empty['webhooks'] ?? null);
        });
        expect(changed.metadata.generation).to.equal(generation);
        expect(changed).to.not.have.property('webhooks');
      }
    });

  it('is quoted where the scopes of a quota may not change', async () => {
    const quota = (spec: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec,
    });
    const sample = await createSample();
    await sample.create(quota({ scopes: ['BestEffort'] }));
    const refusals = [{ scopes: [] }, {}].map((spec) => sample.put(received(quota(spec)) as unknown as JsonObject));
    expect(
      (await Promise.allSettled(refusals)).map((each) => (each.status === 'rejected' ? (each.reason as Error).message : '')),
    ).to.deep.equal(
      ['[]', 'null'].map((shown) => `ResourceQuota "q" is invalid: spec.scopes: Invalid value: ${shown}: field is immutable`),
    );
  });

  it('is quoted where a capacity has no storage, and in a claim that may not change', async () => {
    const sample = await createSample();
    const volume = (capacity: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { ...capacity, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
    });
    for (const [capacity, shown] of [[{ capacity: {} }, '{}'] as const, [{}, 'null'] as const])
      expect((await refusal(sample.create(received(volume(capacity)) as unknown as JsonObject))).message).to.contain(
        `spec.capacity: Unsupported value: ${shown}: supported values: "storage"`,
      );
    const claim = (devices: JsonObject): JsonObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'c', namespace: 'default' },
      spec: { devices },
    });
    const requests = [{ name: 'r', exactly: { deviceClassName: 'x' } }];
    await sample.create(claim({ requests }));
    const changed = received(claim({ constraints: [] })) as unknown as JsonObject;
    expect((await refusal(sample.put(changed))).message).to.contain('{"Devices":{"Requests":null,"Constraints":[],"Config":null}}');
    await sample.put(received(claim({ requests, constraints: [] })) as unknown as JsonObject);
  });

  it('is quoted in a template of claims, which may not change', async () => {
    const sample = await createSample();
    const template = (capacity: JsonObject): JsonObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 't', namespace: 'default' },
      spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'x', ...capacity } }] } } },
    });
    await sample.create(template({}));
    const changed = received(template({ capacity: { requests: {} } })) as unknown as JsonObject;
    expect((await refusal(sample.put(changed))).message).to.contain('"Capacity":{"Requests":{}}');
    const made = await sample.create({ ...changed, metadata: { name: 'u', namespace: 'default' } });
    expect(JSON.stringify(made['spec'])).to.contain('"capacity":{}');
  });

  it('is quoted in claims, attachments, flow schemas and capabilities, and equals none in an immutable spec', async () => {
    const sample = await createSample();
    const of = (apiVersion: string, kind: string, spec: JsonObject): JsonObject =>
      received({ apiVersion, kind, metadata: { name: 'e', namespace: 'default' }, spec }) as unknown as JsonObject;
    const claim = (more: JsonObject): JsonObject =>
      of('v1', 'PersistentVolumeClaim', {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' }, limits: {} },
        ...more,
      });
    await sample.create(claim({}));
    await sample.put(claim({}));
    expect((await refusal(sample.put(claim({ volumeName: 'x', selector: {} })))).message).to.contain(
      '-  "Limits": null,\n+  "Limits": {},',
    );
    const attachment = (nodeName: string, more: JsonObject): JsonObject => {
      const csi = { driver: 'd', volumeHandle: 'h', ...more };
      return of('storage.k8s.io/v1', 'VolumeAttachment', {
        attacher: 'a',
        nodeName,
        source: { inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi } },
      });
    };
    const { metadata } = await sample.create(attachment('n', {}));
    await sample.put({ ...attachment('n', { volumeAttributes: {} }), metadata: { ...metadata } });
    const moved = { ...attachment('m', { volumeAttributes: {} }), metadata: { ...metadata } };
    expect((await refusal(sample.put(moved))).message).to.contain('"VolumeAttributes":{}');
    const flow = of('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', { priorityLevelConfiguration: { name: 'exempt' }, rules: [] });
    expect((await refusal(sample.create({ ...flow, metadata: { name: 'exempt' } }))).message).to.contain('"Rules":[]');
    const securityContext = { allowPrivilegeEscalation: false, privileged: true, capabilities: { add: [], drop: [] } };
    const pod = of('v1', 'Pod', { containers: [{ name: 'c', image: 'i', securityContext }] });
    expect((await refusal(sample.create(pod))).message).to.contain('{"Capabilities":{"Add":[],"Drop":[]}');
  });

  it('is set where only one of two lists may be', async () => {
    const slice = (lists: JsonObject): JsonObject => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: 's' },
      spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, allNodes: true, ...lists },
    });
    const sample = await createSample();
    expect(
      await causes(sample.create(received(slice({ devices: [{ name: 'd' }], sharedCounters: [] })) as unknown as JsonObject)),
    ).to.deep.equal(['invalid spec']);
    const made = await sample.create(received(slice({ devices: [] })) as unknown as JsonObject);
    expect(made['spec']).to.not.have.any.keys('devices', 'sharedCounters');
  });

  it('goes from schemas at every depth, and leaves properties with names of members', () => {
    const inner = { type: 'object', properties: {}, required: [], enum: [] };
    const wanted = { type: 'object' };
    const schema = (one: JsonObject, rest: JsonObject): JsonObject => ({
      ...one,
      properties: {
        enum: {},
        required: one,
        list: { type: 'array', items: { ...one, properties: { enum: {} } } },
        map: { additionalProperties: one },
      },
      ...rest,
    });
    const definition = (openAPIV3Schema: JsonObject): JsonObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'd' },
      spec: { group: 'g', names: { plural: 'd', kind: 'D' }, scope: 'Namespaced', versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
    });
    const sent = definition(schema(inner, { allOf: [inner], dependencies: {}, items: [inner] }));
    const object = received(sent);
    const before = structuredClone(object);
    const kept = received(definition(schema(wanted, { allOf: [wanted], items: [wanted] })));
    expect(withoutEmpty(object, kindOf(sent))['spec']).to.deep.equal(kept['spec']);
    expect(object).to.deep.equal(before);
    expect(JSON.stringify(object)).to.contain('"properties":{},"required":[],"enum":[]');
    settleEmpty(object, kindOf(sent));
    expect(object['spec']).to.deep.equal(kept['spec']);
  });

  it('is quoted in schemas, and counts where a definition must not have any (validation.go, convert.go)', async () => {
    const sample = await createSample();
    const definition = (openAPIV3Schema: JsonObject, subresources: JsonObject = {}): JsonObject =>
      received({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'ds.g.example.com' },
        spec: {
          group: 'g.example.com',
          names: { plural: 'ds', kind: 'D' },
          scope: 'Namespaced',
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources }],
        },
      }) as unknown as JsonObject;
    const found = (schema: JsonObject, subresources?: JsonObject): Promise<string[]> =>
      causes(sample.create(definition(schema, subresources)));
    const at = 'spec.validation.openAPIV3Schema';
    expect(await found({ type: 'object', properties: { metadata: { type: 'object', required: [] } } })).to.deep.equal([
      `forbidden ${at}.properties[metadata]`,
    ]);
    expect(await found({ type: 'object', dependencies: {} })).to.deep.equal([`forbidden ${at}.dependencies`]);
    const root = { type: 'object', properties: {}, enum: [], default: { b: 1, a: 1 } };
    const { message } = await refusal(sample.create(definition(root, { status: {} })));
    for (const quoted of ['"Properties":{}', '"Enum":[]', '"Default":{"a":1,"b":1}']) expect(message).to.contain(quoted);
    const made = await sample.create(definition({ type: 'object', properties: { a: { type: 'string', enum: [] } }, required: [] }));
    expect(JSON.stringify(made['spec'])).to.not.contain('[]');
    const again = await sample.update(definition({}), (stored) => {
      stored['spec'] = definition({ type: 'object', properties: { a: { type: 'string', enum: [] } }, allOf: [] })['spec'] ?? null;
    });
    expect(again.metadata.generation).to.equal(1);
  });

  it('must not stand where nothing may', async () => {
    const sample = await createSample();
    for (const [object, field] of [
      [template({ finalizers: [] }), 'spec.metadata.finalizers'],
      [pod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { finalizers: [] }, spec: claim } } }] }), 'finalizers'],
      [pod({ ephemeralContainers: [{ name: 'e', image: 'i', resizePolicy: [] }] }), 'spec.ephemeralContainers[0].resizePolicy'],
    ] as const)
      expect((await causes(sample.create(received(object) as unknown as JsonObject))).join('\n')).to.include(field);
  });
});
