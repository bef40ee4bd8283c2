import { expect } from 'chai';
import type { ApiObject, JsonObject, JsonValue } from '../../../../api/object.js';
import { binaryMinor, type FieldGate, gatesWith, type GatedFields, gatesOf } from '../../../../program/features/gates.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { typeOfKind } from '../../../../api/catalogue/types.js';
import { fieldPath, gatedFieldDropper } from '../../../../server/registry/gatedFields.js';
import type { JsonMembers } from '../../../../workers/codecs/value.js';
import { checkStructure } from '../../../../workers/schema/structure.js';
import { causes, createSample } from './sample.js';

/** Feature-gated fields are dropped while the feature is off, but stay where they are used. */

interface Declared {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly gated: GatedFields;
}

const declared: readonly Declared[] = createCatalogue({ serves: () => true }).groups.flatMap(({ versions }) =>
  versions.flatMap(({ resources }) =>
    resources
      .filter(({ version, storage }) => version === storage.version)
      .map(({ kind, group, version, behaviour }) => ({ kind, group, version, gated: behaviour.strategy.gated })),
  ),
);
const rows = declared.flatMap(({ gated, ...type }) =>
  Object.entries(gated).flatMap(([feature, paths]) => paths.map((path) => ({ ...type, gated, feature: feature as FieldGate, path }))),
);

/** The value of a member: a list or map, or a single one. */
const held = (step: string, some: JsonValue[], one: JsonValue): JsonValue =>
  step.endsWith('[]') ? some : step.endsWith('{}') ? Object.fromEntries(some.map((each, position) => [`k${position}`, each])) : one;

/** An object with only this path, ending in null. */
function along(path: string): JsonObject {
  const [first = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? null : along(path.slice(path.indexOf('.') + 1));
  return { [fieldPath(first)[0]!.member]: held(first, [inner], inner) };
}

/** An object with a value at a path, and siblings at each step. */
function objectWith(path: string, value: JsonValue): JsonObject {
  const [first = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : objectWith(path.slice(path.indexOf('.') + 1), value);
  return { beside: 1, [fieldPath(first)[0]!.member]: held(first, [inner, { other: true }], inner) };
}

describe('registry/gatedFields', () => {
  it('stands in fields that are there', () => {
    const unknown = (type: Declared, path: string): readonly string[] => {
      const checked = checkStructure(along(path) as JsonMembers, typeOfKind(type)!, { unknownFields: 'report' });
      return checked.ok ? checked.strict : [checked.message];
    };
    expect(rows.length).to.be.above(50);
    for (const { path, ...type } of rows) {
      expect(unknown(type, path), `${type.kind}: ${path}`).to.deep.equal([]);
      expect(unknown(type, `${path}s`), `${type.kind}: ${path}s`).to.have.lengthOf(1);
    }
  });

  it('is known to the release', () => {
    for (const feature of gatesWith('fields')) expect(gatesOf(binaryMinor).has(feature), feature).to.equal(true);
  });

  for (const { kind, feature, path, gated } of rows)
    it(`drops ${path} of ${kind} while ${feature} is off`, () => {
      const off = gatedFieldDropper((each) => each !== feature);
      const dropped = (old: JsonObject | null, enabled = off): JsonObject => {
        const object = objectWith(path, 'x');
        enabled(object as unknown as ApiObject, old as unknown as ApiObject | null, gated);
        return object;
      };
      const text = JSON.stringify(dropped(null));
      expect(text).to.not.contain('"x"');
      expect(text, 'what stands beside it').to.contain('"beside":1');
      expect(JSON.stringify(dropped({}))).to.equal(text);
      expect(dropped(objectWith(path, 'before')), 'in use').to.deep.equal(objectWith(path, 'x'));
      expect(
        dropped(
          null,
          gatedFieldDropper(() => true),
        ),
      ).to.deep.equal(objectWith(path, 'x'));
    });

  const pod = (spec: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
  const container = (more: JsonObject = {}): JsonObject => ({ name: 'c', image: 'i', ...more });

  it('leaves what was empty before', () => {
    const drop = gatedFieldDropper(() => false);
    const containers = [{ lifecycle: {} }, { lifecycle: { stopSignal: 'x' } }, { lifecycle: { stopSignal: 'x', preStop: {} } }];
    const object = { spec: { containers } };
    drop(object as unknown as ApiObject, null, { ContainerStopSignals: ['spec.containers[].lifecycle?.stopSignal'] });
    expect(object.spec.containers).to.deep.equal([{ lifecycle: {} }, {}, { lifecycle: { preStop: {} } }]);
  });

  it('holds for writes: what was there before stays, and what is new goes', async () => {
    const storage = (await createSample({ features: { HostnameOverride: true } })).storage;
    const on = await createSample({ storage });
    await on.create(pod({ hostnameOverride: 'h', containers: [container({ lifecycle: { stopSignal: 'SIGUSR1' } })] }));
    const created = await on.get('Pod', 'p');
    expect(created['spec']).to.include({ hostnameOverride: 'h' });
    expect(((created['spec'] as JsonObject)['containers'] as JsonObject[])[0]).to.not.have.property('lifecycle');
    const off = await createSample({ storage, features: { HostnameOverride: false } });
    const label = (object: ApiObject): void => {
      object.metadata.labels = { a: 'b' };
    };
    expect((await off.update(pod({}), label))['spec']).to.include({ hostnameOverride: 'h' });
    await off.remove('Pod', 'p');
    const again = await createSample({ features: { HostnameOverride: false } });
    expect((await again.create(pod({ hostnameOverride: 'h', containers: [container()] })))['spec']).to.not.have.property(
      'hostnameOverride',
    );
  });

  it('lets nobody change a suspended job, or resize a whole pod, where that is off', async () => {
    const sample = await createSample({
      features: {
        MutablePodResourcesForSuspendedJobs: false,
        MutableSchedulingDirectivesForSuspendedJobs: false,
        InPlacePodLevelResourcesVerticalScaling: false,
      },
    });
    const job: JsonObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [container()] } } },
    };
    await sample.create(job);
    const podOf = (object: ApiObject): JsonObject => ((object['spec'] as JsonObject)['template'] as JsonObject)['spec'] as JsonObject;
    const place = (name: string): Promise<unknown> => sample.update(job, (object) => (podOf(object)['nodeSelector'] = { name }));
    const ask = sample.update(job, (object) => {
      (podOf(object)['containers'] as JsonObject[])[0]!['resources'] = { requests: { cpu: '1' } };
    });
    expect(await causes(ask)).to.deep.equal(['invalid spec.template']);
    expect(await causes(place('a'))).to.deep.equal([]);
    await sample.update(job, (object) => (object['status'] = { startTime: '2026-01-01T00:00:00Z' }), 'status');
    expect(await causes(place('b'))).to.deep.equal(['invalid spec.template']);
    await sample.create(pod({ resources: { requests: { cpu: '1' } }, containers: [container()] }));
    const resize = sample.update(pod({}), (object) => ((object['spec'] as JsonObject)['resources'] = { requests: { cpu: '2' } }), 'resize');
    expect(await causes(resize)).to.deep.equal(['forbidden ']);
  });
});
