import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../api/object.js';
import { isObject } from '../../../../api/json/json.js';
import { inOneGo } from '../../../../api/steps.js';
import { outcomeOf } from '../../../../server/registry/stepwise.js';
import { StatusError } from '../../../../api/status.js';
import { MalformedObject, ManifestChecker, UnknownKind } from '../../../../server/manifests/checker.js';
import { defaults, validate } from '../../../../server/manifests/index.js';
import { sampledResources } from '../../../differential/samples.js';
import { createSample } from '../registry/sample.js';

/** The value with each member removed in turn. */
function* withoutEach(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value))
    for (const [position, item] of value.entries()) for (const other of withoutEach(item)) yield value.with(position, other);
  if (!isObject<JsonObject>(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _left, ...others } = value;
    yield others;
    if (member !== undefined) for (const other of withoutEach(member)) yield { ...value, [name]: other };
  }
}

describe('checks of manifests without a server', () => {
  for (const { resource, objects } of sampledResources())
    it(`find what a creation of ${resource.resource}.${resource.group}/${resource.version} is refused for`, async () => {
      const sample = await createSample();
      const checker = new ManifestChecker();
      for (const { apiVersion, kind, metadata: _metadata, ...content } of objects.slice(0, 1)) {
        let written = 0;
        for (const each of [content, ...withoutEach(content)]) {
          const metadata = { name: `n${++written}`, ...(resource.namespaced ? { namespace: 'default' } : {}) };
          const object = { apiVersion, kind, metadata, ...(each as JsonObject) } as JsonObject;
          const received = inOneGo(outcomeOf(resource.behaviour.receive(structuredClone(object))));
          if (!received.ok) throw new Error(received.message);
          const refused = await sample.create(received.object as JsonObject).then(
            () => [],
            (error: unknown) => (error instanceof StatusError ? (error.details?.causes ?? [error.message]) : [String(error)]),
          );
          const { findings } = await checker.check(object);
          const causes = findings.map(({ type, path, message }) => ({ reason: type, message, field: path }));
          expect(causes, JSON.stringify(object)).to.deep.equal(refused);
        }
      }
    });

  it('find unknown fields, and what the rest is refused for', async () => {
    const found = await validate({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'A' }, dta: {} });
    expect(found.map(({ type, path }) => [type, path])).to.deep.equal([
      ['UnknownField', 'dta'],
      ['FieldValueInvalid', 'metadata.name'],
    ]);
  });

  it('find a value of another type', async () => {
    const [found] = await validate({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 'two' } });
    expect(found?.message).to.contain('replicas');
  });

  it('accept services with an address and without one, as a server does that allocates', async () => {
    const service = (spec: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
    const ports = [{ port: 80 }];
    const accepted = [{ ports }, { ports, clusterIP: 'None' }, { ports, clusterIP: '10.0.0.9' }, { ports, type: 'NodePort' }];
    for (const spec of accepted) expect(await validate(service(spec)), JSON.stringify(spec)).to.deep.equal([]);
    const [refused] = await validate(service({ ports, clusterIP: 'None', type: 'NodePort' }));
    expect(refused).to.include({ path: 'spec.clusterIPs[0]' });
  });

  it('warn of deprecated versions', async () => {
    const { warnings } = await new ManifestChecker().check({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'a' } });
    expect(warnings).to.deep.equal(['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice']);
  });

  it('refuse a kind that is not known, and objects that are not of their kind', async () => {
    const unknown = await validate({ apiVersion: 'example.com/v1', kind: 'Widget' }).catch((error: unknown) => error);
    expect(unknown).to.be.instanceOf(UnknownKind);
    expect(() => defaults({ apiVersion: 'v1', kind: 'Pod', spec: [] })).to.throw(MalformedObject);
  });

  it('complete an object and leave the given one alone', () => {
    const given = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    const { spec } = defaults(given) as { spec?: JsonObject };
    expect(spec?.['ports']).to.deep.equal([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
    expect(spec?.['type']).to.equal('ClusterIP');
    expect(given.spec).to.deep.equal({ ports: [{ port: 80 }] });
  });

  it('know the kinds of definitions: their schemas, defaults and rules', async () => {
    const checker = new ManifestChecker();
    checker.define(widgets);
    const widget = (spec: JsonObject): JsonObject => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec });
    expect(checker.defaults(widget({}))['spec']).to.deep.equal({ size: 1 });
    expect((await checker.check(widget({ size: 2 }))).findings).to.deep.equal([]);
    const { findings } = await checker.check(widget({ size: 12, colour: 'red' }));
    expect(findings.map(({ path, message }) => `${path}: ${message}`)).to.deep.equal([
      'spec.colour: unknown field "spec.colour"',
      'spec: Invalid value: size is below ten',
    ]);
  });
});

const widgets: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'integer', default: 1 } },
                'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'size is below ten' }],
              },
            },
          },
        },
      },
    ],
  },
};
