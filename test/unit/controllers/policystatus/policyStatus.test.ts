import { expect } from 'chai';
import { validatingAdmissionPolicies, type ValidatingAdmissionPolicy } from '../../../../api/types/admissionregistration/v1.js';
import { customResourceDefinitions, type CustomResourceDefinition } from '../../../../api/types/apiextensions/v1.js';
import { policyStatusController } from '../../../../controllers/policystatus/policyStatus.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const policy = (group: string, resource: string, expression: string, name = 'p'): ValidatingAdmissionPolicy => ({
  metadata: { name, generation: 1 },
  spec: {
    matchConstraints: { resourceRules: [{ apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }] },
    validations: [{ expression }],
  },
});
const widgets = (type: string): CustomResourceDefinition => ({
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
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type } } } } },
        },
      },
    ],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
});

describe('controllers/policystatus', () => {
  let world: ControllerWorld;
  const documents: Record<string, unknown> = {};
  const serve = (group: string, resource: string, kind: string): void => {
    documents['/apis'] = {
      items: [{ metadata: { name: group }, versions: [{ version: 'v1', resources: [{ resource, responseKind: { kind }, verbs: [] }] }] }],
    };
  };
  const begin = (first = (_asked: string): Promise<void> => Promise.resolve()): Promise<void> =>
    world.start(
      policyStatusController,
      (api) =>
        ({
          ...Object.fromEntries(
            (['get', 'list', 'create', 'update', 'patch', 'delete', 'deleteCollection', 'post', 'watch'] as const).map((verb) => [
              verb,
              (...args: never[]) => (api[verb] as (...all: never[]) => unknown).call(api, ...args),
            ]),
          ),
          patch: (...args: Parameters<typeof api.patch>) => first('patch').then(() => api.patch(...args)),
          read: (path: string) => first(path).then(() => documents[path] ?? { items: [] }),
        }) as typeof api,
    );
  const status = async (): Promise<NonNullable<ValidatingAdmissionPolicy['status']>> => {
    await world.settled();
    return (await world.api.get(validatingAdmissionPolicies, { namespace: '', name: 'p' })).status ?? {};
  };
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it("applies what does not fit, with the reference's field owner", async () => {
    serve('apps', 'deployments', 'Deployment');
    world.api.seed(validatingAdmissionPolicies, policy('apps', 'deployments', 'object.spec.nothing == 1'));
    await begin();
    const [write, ...others] = await world.writes();
    expect(others).to.deep.equal([]);
    expect(write).to.include({ verb: 'patch', key: 'p', subresource: 'status', patchType: 'application/apply-patch+yaml' });
    expect(await status()).to.deep.include({ observedGeneration: 1 });
    expect((await status()).typeChecking?.expressionWarnings?.[0]).to.include({ fieldRef: 'spec.validations[0].expression' });
  });

  it('leaves what it has seen as it is', async () => {
    serve('apps', 'deployments', 'Deployment');
    world.api.seed(validatingAdmissionPolicies, {
      ...policy('apps', 'deployments', 'object.spec.nothing == 1'),
      status: { observedGeneration: 1 },
    });
    await begin();
    expect(await world.writes()).to.deep.equal([]);
  });

  it('looks again when a definition comes, and when it changes', async () => {
    world.api.seed(validatingAdmissionPolicies, policy('example.com', 'widgets', 'object.spec.size > 1'));
    await begin();
    expect(await status()).to.deep.equal({ observedGeneration: 1, typeChecking: {} });
    world.api.seed(customResourceDefinitions, widgets('string'));
    expect((await status()).typeChecking?.expressionWarnings?.[0]?.warning).to.contain("applied to '(string, int)'");
    await world.writes();
    world.api.seed(customResourceDefinitions, widgets('integer'));
    const [write] = await world.writes();
    expect(write?.body).to.deep.include({ status: { observedGeneration: 1, typeChecking: {} } });
  });

  it('reads what is served once for all policies, again after half a minute, and at once for a group that is not in it', async () => {
    serve('apps', 'deployments', 'Deployment');
    const seed = (name: string, group = 'apps'): unknown =>
      world.api.seed(validatingAdmissionPolicies, policy(group, 'deployments', 'true', name));
    for (const name of ['a', 'b', 'c']) seed(name);
    let reads = 0;
    await begin((asked) => Promise.resolve(void (asked === '/apis' && reads++)));
    expect([(await world.writes()).length, reads]).to.deep.equal([3, 1]);
    seed('d');
    expect([(await world.writes()).length, reads]).to.deep.equal([1, 1]);
    seed('e', 'new.example.com');
    expect([(await world.writes()).length, reads]).to.deep.equal([1, 2]);
    await world.advance(30_000);
    seed('f');
    expect([(await world.writes()).length, reads]).to.deep.equal([1, 3]);
  });

  it('checks as many at the same time as the option says', async () => {
    world = controllerWorld({ flags: ['--concurrent-validating-admission-policy-status-syncs=2'] });
    serve('apps', 'deployments', 'Deployment');
    for (const name of ['a', 'b', 'c']) world.api.seed(validatingAdmissionPolicies, policy('apps', 'deployments', 'true', name));
    const waiting: (() => void)[] = [];
    await begin((asked) => (asked === 'patch' ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve()));
    await world.settled();
    expect(waiting).to.have.length(2);
    waiting[0]?.();
    await world.settled();
    expect(waiting).to.have.length(3);
    for (const go of waiting) go();
  });
});
