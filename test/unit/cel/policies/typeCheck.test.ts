import { expect } from 'chai';
import { typeChecking, type Kinds } from '../../../../cel/policies/typeCheck.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { createCatalogue } from '../../../../server/kinds/index.js';

const rule = (group: string, version: string, ...resources: string[]): JsonObject => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: ['CREATE'],
  resources,
});
const served = createCatalogue().groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
const builtIn: Kinds = { served, schemaOf: () => null };
const check = (spec: JsonObject, kinds = builtIn): JsonObject[] => {
  const policy: ApiObject = { metadata: { name: 'p' }, spec };
  return (typeChecking(policy, kinds)['expressionWarnings'] ?? []) as JsonObject[];
};
const deployments = { matchConstraints: { resourceRules: [rule('apps', 'v1', 'deployments')] } };
const warnings = (spec: JsonObject, kinds = builtIn): string[] =>
  check(spec, kinds).map(({ fieldRef, warning }) => `${String(fieldRef)}: ${String(warning)}`);

describe('types of the objects of a policy', () => {
  const fitting = [
    'object.spec.replicas <= 5',
    'object.spec.template.spec.containers.all(c, c.image.startsWith("x"))',
    'object.metadata.creationTimestamp < timestamp("2030-01-01T00:00:00Z")',
    'has(oldObject.spec) && object.metadata.labels["a"] == "b"',
    'object.spec.strategy.rollingUpdate.maxSurge == 1',
    'request.operation == "CREATE" && authorizer.requestResource.check("x").allowed()',
  ];
  for (const expression of fitting)
    it(`takes ${expression}`, () => {
      expect(warnings({ ...deployments, validations: [{ expression }] })).to.deep.equal([]);
    });

  it('tells of fields that there are not, and of types that do not fit, at the place where they are', () => {
    expect(
      warnings({
        ...deployments,
        validations: [{ expression: 'true' }, { expression: 'object.spec.replicas <= "five"', messageExpression: 'object.spec.nosuch' }],
      }),
    ).to.deep.equal([
      "spec.validations[1].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_<=_' applied to '(int, string)'\n | object.spec.replicas <= \"five\"\n | .....................^\n",
      "spec.validations[1].messageExpression: apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'nosuch'\n | object.spec.nosuch\n | ...........^\n",
    ]);
  });

  it('looks at each kind, and knows variables and parameters', () => {
    const both = {
      matchConstraints: { resourceRules: [rule('', 'v1', 'services', 'configmaps')] },
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'data', expression: 'params.data' }],
    };
    const [only, ...others] = warnings({ ...both, validations: [{ expression: 'object.spec.type in variables.data' }] });
    expect([others, only?.split('\n')[0]]).to.deep.equal([
      [],
      "spec.validations[0].expression: /v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'",
    ]);
    expect(warnings({ ...both, validations: [{ expression: 'variables.data["x"] == 1' }] })).to.have.length(1);
  });

  const kindsNamed = (resourceRules: readonly JsonObject[], kinds = builtIn): string[] =>
    check({ matchConstraints: { resourceRules: [...resourceRules] }, validations: [{ expression: 'object.nosuch' }] }, kinds).flatMap(
      ({ warning }) => String(warning).match(/[\w./-]+, Kind=\w+/g) ?? [],
    );

  const unseen: readonly (readonly [string, string, string, string])[] = [
    ['', 'pods', 'object.spec.containers[0].resources.limits["cpu"] == "1"', "1:36: undefined field 'limits'"],
    ['', 'pods', 'object.metadata.managedFields[0].fieldsV1.x == 1', "1:42: undefined field 'x'"],
    ['apps', 'controllerrevisions', 'object.data.x == 1', "1:12: undefined field 'x'"],
    [
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      'object.spec.versions[0].schema.openAPIV3Schema.default == 1',
      "1:47: undefined field 'default'",
    ],
    [
      'apiextensions.k8s.io',
      'customresourcedefinitions',
      'object.spec.versions[0].schema.openAPIV3Schema.not.type == "x"',
      "1:51: undefined field 'type'",
    ],
  ];
  for (const [group, resource, expression, expected] of unseen)
    it(`does not see what has no one type: ${expression}`, () => {
      const [only] = warnings({ matchConstraints: { resourceRules: [rule(group, 'v1', resource)] }, validations: [{ expression }] });
      expect(only).to.contain(`ERROR: <input>:${expected}`);
    });

  it('names kinds in the order of group, version and kind', () => {
    const widget = { group: 'apps.example.com', version: 'v1', resource: 'widgets', singular: 'widget', kind: 'Widget' };
    const kinds: Kinds = { served: [...served, widget], schemaOf: ({ kind }) => (kind === 'Widget' ? { type: 'object' } : null) };
    expect(kindsNamed([rule('apps.example.com', 'v1', 'widgets'), rule('apps', 'v1', 'statefulsets', 'deployments')], kinds)).to.deep.equal(
      ['apps/v1, Kind=Deployment', 'apps/v1, Kind=StatefulSet', 'apps.example.com/v1, Kind=Widget'],
    );
  });

  it('finds a resource by its singular, in any case of letters, and with the core group in every group', () => {
    expect(kindsNamed([rule('apps', 'v1', 'Deployment')])).to.deep.equal(['apps/v1, Kind=Deployment']);
    expect(kindsNamed([rule('', 'v1', 'events')])).to.deep.equal(['/v1, Kind=Event', 'events.k8s.io/v1, Kind=Event']);
  });

  it('ends with a rule that comes to ten kinds', () => {
    const core = ['bindings', 'configmaps', 'endpoints', 'limitranges', 'namespaces', 'nodes', 'persistentvolumes', 'pods', 'secrets'];
    const nine = rule('', 'v1', ...core);
    const later = rule('apps', 'v1', 'deployments', 'replicasets');
    expect(kindsNamed([nine, later])).to.have.length(11);
    const eleven = kindsNamed([rule('', 'v1', ...core, 'services', 'serviceaccounts'), later]);
    expect(eleven).to.have.length(10);
    expect(eleven).to.include('/v1, Kind=ServiceAccount').and.not.include('/v1, Kind=Service');
  });

  it('says nothing of what stands for all, or is not known', () => {
    for (const resourceRule of [
      rule('*', 'v1', 'deployments'),
      rule('apps', 'v1', '*'),
      rule('apps', 'v1', 'deployments/scale'),
      rule('example.com', 'v1', 'widgets'),
    ]) {
      expect(
        warnings({ matchConstraints: { resourceRules: [resourceRule] }, validations: [{ expression: 'object.spec.nosuch == 1' }] }),
      ).to.deep.equal([]);
    }
  });
});

/** `v1` has `size` as a number, `v2` as a text. */
const schemaWith = (size: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size,
        colours: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        doors: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' }, width: { type: 'number' } } },
        },
        limits: { type: 'object', additionalProperties: { type: 'integer' } },
        port: { 'x-kubernetes-int-or-string': true },
        since: { type: 'string', format: 'date-time' },
        raw: { type: 'string', format: 'byte' },
        'my-field': { type: 'boolean' },
        namespace: { type: 'string' },
        anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        whatever: { 'x-kubernetes-preserve-unknown-fields': true },
        whatevers: { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } },
        anymap: { type: 'object', additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } },
        partly: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'integer' } } },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});
const schemas: Readonly<Record<string, JsonObject>> = { v1: schemaWith({ type: 'integer' }), v2: schemaWith({ type: 'string' }) };
const defined: Kinds = {
  served: [
    ...served,
    ...Object.keys(schemas).map((version) => ({ group: 'example.com', version, resource: 'widgets', singular: 'widget', kind: 'Widget' })),
  ],
  schemaOf: ({ group, version, kind }) => (group === 'example.com' && kind === 'Widget' ? (schemas[version] ?? null) : null),
};

describe('types of the objects of a policy about custom kinds', () => {
  const widgets = { matchConstraints: { resourceRules: [rule('example.com', 'v1', 'widgets')] } };
  const problem = (expression: string): string =>
    warnings({ ...widgets, validations: [{ expression }] }, defined)
      .map((text) => text.split('\n')[0] ?? '')
      .join('; ');

  const fitting = [
    'object.spec.size < 5 && oldObject.spec.size < object.spec.size',
    'object.spec.colours.exists(c, c == "red") && "red" in object.spec.colours',
    'object.spec.doors.all(d, d.width > 1.5 && d.name.startsWith("x"))',
    'object.spec.limits["a"] > 1 && object.spec.limits.a > 1',
    'object.spec.port == 80 || object.spec.port == "http"',
    'object.spec.since < timestamp("2030-01-01T00:00:00Z")',
    'object.spec.raw == b"x"',
    'object.spec.my__dash__field && object.spec.__namespace__ == "x"',
    'object.spec.partly.known == 1',
    'object.spec.template.metadata.name == "x" && object.spec.template.metadata.labels.x == "y"',
    'object.metadata.labels["a"] == "b" && object.kind == "Widget" && has(object.metadata.deletionTimestamp)',
    '!has(object.spec.size)',
  ];
  for (const expression of fitting)
    it(`takes ${expression}`, () => {
      expect(problem(expression)).to.equal('');
    });

  const mistakes: readonly (readonly [string, string])[] = [
    ['object.spec.sise == 1', "1:12: undefined field 'sise'"],
    ['has(object.status)', "1:4: undefined field 'status'"],
    ['object.spec.size == "1"', "1:18: found no matching overload for '_==_' applied to '(int, string)'"],
    ['object.spec.size.startsWith("a")', "1:28: found no matching overload for 'startsWith' applied to 'int.(string)'"],
    ['object.spec.size.more == 1', "1:17: type 'int' does not support field selection"],
    ['object.spec.colours == "red"', "1:21: found no matching overload for '_==_' applied to '(list(string), string)'"],
    ['object.spec.doors.all(d, d.height > 1.0)', "1:27: undefined field 'height'"],
    ['object.spec.doors.all(d, d.width > "1")', "1:34: found no matching overload for '_>_' applied to '(double, string)'"],
    ['object.spec.limits["a"] == "1"', "1:25: found no matching overload for '_==_' applied to '(int, string)'"],
    ['object.spec.since == "now"', "1:19: found no matching overload for '_==_' applied to '(timestamp, string)'"],
    ['object.spec.partly.known == "x"', "1:26: found no matching overload for '_==_' applied to '(int, string)'"],
    ['object.spec.partly.other.more == "x"', "1:19: undefined field 'other'"],
    ['object.spec.anything.deep.down == 1', "1:21: undefined field 'deep'"],
    ['object.spec.whatever[0].name == "a"', "1:12: undefined field 'whatever'"],
    ['object.spec.whatevers.size() == 1', "1:12: undefined field 'whatevers'"],
    ['object.spec.anymap.a == 1', "1:12: undefined field 'anymap'"],
    ['object.spec.template.spec.x == 1', "1:21: undefined field 'spec'"],
    ['object.metadata.nosuch == "x"', "1:16: undefined field 'nosuch'"],
    ['nosuch == 1', "1:1: undeclared reference to 'nosuch' (in container '')"],
  ];
  for (const [expression, expected] of mistakes)
    it(`tells of ${expression}`, () => {
      expect(problem(expression)).to.equal(`spec.validations[0].expression: example.com/v1, Kind=Widget: ERROR: <input>:${expected}`);
    });

  it('looks at every version that the rules name, and says of which it speaks', () => {
    const both = {
      matchConstraints: { resourceRules: [{ ...rule('example.com', 'v1', 'widgets'), apiVersions: ['v1', 'v2', 'v3'] }] },
      validations: [{ expression: 'object.spec.size == 1' }, { expression: 'object.spec.size.nosuch' }],
    };
    expect(warnings(both, defined).map((text) => text.match(/[\w./]+, Kind=\w+/g))).to.deep.equal([
      ['example.com/v2, Kind=Widget'],
      ['example.com/v1, Kind=Widget', 'example.com/v2, Kind=Widget'],
    ]);
  });

  it('knows parameters and variables of such kinds', () => {
    const spec = {
      matchConstraints: { resourceRules: [rule('apps', 'v1', 'deployments')] },
      paramKind: { apiVersion: 'example.com/v2', kind: 'Widget' },
      variables: [{ name: 'size', expression: 'params.spec.size' }],
    };
    expect(warnings({ ...spec, validations: [{ expression: 'variables.size == "1"' }] }, defined)).to.deep.equal([]);
    expect(warnings({ ...spec, validations: [{ expression: 'object.spec.replicas == variables.size' }] }, defined)).to.have.length(1);
  });

  it('takes names that mean something to the language of the server for names', () => {
    expect(problem('object.spec.constructor == 1')).to.contain("undefined field 'constructor'");
    expect(problem('object.spec.__proto__ == 1')).to.contain('undefined field');
  });
});
