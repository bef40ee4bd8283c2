import { expect } from 'chai';
import { PolicyStatuses } from '../../../../server/admission/policies/statuses.js';
import type { ApiObject, JsonObject, JsonValue } from '../../../../api/object.js';
import { ownWrites } from '../../../../server/registry/ownWrites.js';
import { withCustomResources } from '../../../../server/extensions/definitions.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import type { Catalogue } from '../../../../server/registry/resources.js';
import type { Target } from '../../../../server/registry/target.js';
import { definition, ExtensionServer } from '../extensions/harness.js';

const builtIn = createCatalogue();

describe('what the status of a policy says of custom kinds', () => {
  let server: ExtensionServer;
  let catalogue: () => Catalogue;
  let statuses: PolicyStatuses[] = [];
  const policies = builtIn.resource('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies')!;
  const target = (name: string): Target => ({ resource: policies, namespace: '', name });

  const policy = (name: string, resources: readonly string[], expression: string): ApiObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: [...resources] }],
      },
      validations: [{ expression }],
    },
  });
  const create = (object: ApiObject): Promise<unknown> => server.registry.create(target(''), object, ownWrites);
  const read = async (name: string): Promise<{ readonly status: JsonObject; readonly version: string }> => {
    const object = (await server.registry.get(target(name), { at: 'mostRecent' })).decode();
    return { status: (object['status'] ?? {}) as JsonObject, version: object.metadata.resourceVersion ?? '' };
  };
  const becomes = async (name: string, holds: (typeChecking: JsonValue | undefined) => boolean): Promise<JsonObject> => {
    for (;;) {
      const { status } = await read(name);
      if (holds(status['typeChecking'])) return status;
      await new Promise(setImmediate);
    }
  };
  const hasWarnings = (checked: JsonValue | undefined): boolean =>
    (checked as { expressionWarnings?: unknown } | undefined)?.expressionWarnings !== undefined;
  const isClean = (checked: JsonValue | undefined): boolean => checked !== undefined && !hasWarnings(checked);
  const begin = (): void => {
    const present = catalogue;
    statuses.push(
      new PolicyStatuses({
        storage: server.storage,
        registry: server.registry,
        catalogue: { ...builtIn, resource: (group, version, resource) => present().resource(group, version, resource) },
        schemaOf: server.custom.schemaOf,
        onDefinitionsChange: (listener) => server.custom.onChange(listener),
        report: (_name, error) => {
          throw error;
        },
      }),
    );
  };
  const changeSchema = (change: (spec: JsonObject) => void): Promise<unknown> =>
    server.registry.update(
      server.definitionTarget('widgets.example.com'),
      {
        apply: (current) => {
          const object = structuredClone(current) as ApiObject;
          const [version] = (object['spec'] as { versions: JsonObject[] }).versions;
          change((version as { schema: { openAPIV3Schema: JsonObject } }).schema.openAPIV3Schema['properties'] as JsonObject);
          return object;
        },
        subresource: '',
        uid: null,
        mayCreate: null,
      },
      ownWrites,
    );

  beforeEach(async () => {
    server = await ExtensionServer.start();
    catalogue = withCustomResources(builtIn, () => server.custom.catalogue);
    statuses = [];
  });
  afterEach(() => {
    for (const each of statuses) each.stop();
    server.stop();
  });

  it('is found out when the kind is defined, and again whenever its schema changes', async () => {
    begin();
    // Two servers, of which one has nothing left to write.
    begin();
    await create(policy('sizes', ['widgets'], 'object.spec.width > 1'));
    await becomes('sizes', isClean);
    await server.define(definition('widgets', 'Widget'));
    const status = await becomes('sizes', hasWarnings);
    expect(status['typeChecking']).to.deep.equal({
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: "example.com/v1, Kind=Widget: ERROR: <input>:1:12: undefined field 'width'\n | object.spec.width > 1\n | ...........^\n",
        },
      ],
    });
    expect(status['observedGeneration']).to.equal(1);
    await changeSchema((properties) => {
      (properties['spec'] as { properties: JsonObject }).properties['width'] = { type: 'integer' };
    });
    await becomes('sizes', isClean);
    await changeSchema((properties) => {
      (properties['spec'] as { properties: JsonObject }).properties['width'] = { type: 'string' };
    });
    expect(JSON.stringify(await becomes('sizes', hasWarnings))).to.contain("applied to '(string, int)'");
  });

  it('is found out by a server that begins, too, and written only where it is another one', async () => {
    begin();
    await server.define(definition('widgets', 'Widget'));
    await create(policy('sizes', ['widgets'], 'object.spec.size > 1'));
    await create(policy('pods', ['gadgets'], 'object.spec.nothing == 1'));
    await becomes('sizes', isClean);
    await becomes('pods', isClean);
    const before = [await read('sizes'), await read('pods')];
    statuses.shift()?.stop();
    await changeSchema((properties) => {
      (properties['spec'] as { properties: JsonObject }).properties = { other: { type: 'string' } };
    });
    await server.until(() =>
      JSON.stringify(server.custom.schemaOf({ group: 'example.com', version: 'v1', kind: 'Widget' })).includes('other'),
    );
    expect((await read('sizes')).version).to.equal(before[0]?.version);
    begin();
    await becomes('sizes', hasWarnings);
    expect((await read('pods')).version).to.equal(before[1]?.version);
  });
});
