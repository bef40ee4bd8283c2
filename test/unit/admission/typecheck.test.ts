import { expect } from 'chai';
import { typeChecking } from '../../../server/admission/policies/typeCheck.js';
import type { ApiObject, JsonObject } from '../../../server/api/object.js';
import { createCatalogue } from '../../../server/kinds/index.js';

const catalogue = createCatalogue();
const rule = (group: string, version: string, ...resources: string[]): JsonObject => ({
  apiGroups: [group],
  apiVersions: [version],
  operations: ['CREATE'],
  resources,
});
const check = (spec: JsonObject): JsonObject[] => {
  const policy: ApiObject = { metadata: { name: 'p' }, spec };
  return (typeChecking(policy, (group, version, resource) => catalogue.resource(group, version, resource)?.kind ?? null)[
    'expressionWarnings'
  ] ?? []) as JsonObject[];
};
const deployments = { matchConstraints: { resourceRules: [rule('apps', 'v1', 'deployments')] } };
const warnings = (spec: JsonObject): string[] => check(spec).map(({ fieldRef, warning }) => `${String(fieldRef)}: ${String(warning)}`);

describe('types of the objects of a policy', () => {
  const fitting = [
    'object.spec.replicas <= 5',
    'object.spec.template.spec.containers.all(c, c.image.startsWith("x"))',
    'object.metadata.creationTimestamp < timestamp("2030-01-01T00:00:00Z")',
    'has(oldObject.spec) && object.metadata.labels["a"] == "b"',
    'object.spec.template.spec.containers[0].resources.limits["cpu"] == "1"',
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
