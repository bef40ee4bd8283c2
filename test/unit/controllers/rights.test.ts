import { expect } from 'chai';
import { controllerCatalogue } from '../../../controllers/catalogue.js';
import { configMaps, pods } from '../../../api/types/core/v1.js';
import { gatedRoles } from '../../../server/authorization/rbac/gatedRoles.js';
import { entryOf, rulesOfAccount, withRightsOf } from '../../fixtures/accountRights.js';
import { FakeClock } from '../../fixtures/fakeClock.js';
import { MemoryApi } from '../../fixtures/memoryApi.js';

/** Tests that run a controller check its rights: `test/fixtures/accountRights.ts`. */
describe('rights of controllers', () => {
  it('are there for every account', () => {
    const without = controllerCatalogue.filter(
      ({ account, actsAsManager }) => actsAsManager !== true && rulesOfAccount(account).length === 0,
    );
    expect(without.map(({ account }) => account)).to.deep.equal([]);
  });

  it('end where the role ends', async () => {
    const api = new MemoryApi({ clock: new FakeClock() });
    const problems: string[] = [];
    const own = withRightsOf(entryOf('deployment-controller').make, api, (problem) => problems.push(problem));
    await own.list(pods, {});
    const refused = await own.delete(configMaps, { namespace: 'n', name: 'c' }).catch((error: unknown) => error);
    expect(refused).to.include({ code: 403 });
    expect(problems).to.deep.equal(['deployment-controller may not delete configmaps of ""']);
  });

  it('of controllers whose API is off are not there before it is served', () => {
    expect(
      gatedRoles(
        () => false,
        () => true,
      ),
    ).to.deep.equal({ clusterroles: [], clusterrolebindings: [] });
    const { clusterroles = [], clusterrolebindings = [] } = gatedRoles(
      (_, resource) => resource === 'podgroups',
      () => false,
    );
    expect([...clusterroles, ...clusterrolebindings].map(({ metadata }) => metadata.name)).to.deep.equal([
      'system:controller:podgroup-protection-controller',
      'system:controller:podgroup-protection-controller',
    ]);
  });

  it('of nodes to request certificates of pods are there while the feature is on', () => {
    const role = (isOn: boolean): unknown =>
      (
        gatedRoles(
          (_, resource) => resource === 'podcertificaterequests',
          () => isOn,
        )['clusterroles'] ?? []
      ).find(({ metadata }) => metadata.name === 'system:node')?.['rules'];
    expect(role(true)).to.deep.equal([
      { apiGroups: ['certificates.k8s.io'], resources: ['podcertificaterequests'], verbs: ['get', 'list', 'watch', 'create'] },
    ]);
    expect(role(false)).to.equal(undefined);
  });

  it('of the controller of requests for the state of device pools are there while the feature is on', () => {
    const names = (isOn: boolean): unknown[] =>
      (
        gatedRoles(
          () => true,
          (feature) => isOn && feature === 'DRAResourcePoolStatus',
        )['clusterroles'] ?? []
      ).map(({ metadata }) => metadata.name);
    expect(names(true)).to.include('system:controller:resourcepoolstatusrequest-controller');
    expect(names(false)).to.not.include('system:controller:resourcepoolstatusrequest-controller');
  });

  it('of the controller of Jobs to make groups of pods are there while the feature is on', () => {
    const names = (isOn: boolean): unknown[] =>
      (
        gatedRoles(
          () => true,
          (feature) => isOn && feature === 'WorkloadWithJob',
        )['clusterroles'] ?? []
      ).map(({ metadata }) => metadata.name);
    expect(names(true)).to.include('system:controller:job-controller');
    expect(names(false)).to.not.include('system:controller:job-controller');
  });

  it('beyond those of every cluster are for everybody who needs them: nodes, accounts, schedulers and people', () => {
    const granted = (...features: string[]): unknown =>
      Object.fromEntries(
        (
          gatedRoles(
            () => true,
            (feature) => features.includes(feature),
          )['clusterroles'] ?? []
        )
          .filter(({ metadata }) => metadata.name?.startsWith('system:controller:') !== true)
          .map(({ metadata, rules }) => [
            metadata.name,
            (rules as { readonly resources: string[] }[]).map(({ resources }) => resources.join()),
          ]),
      );
    expect(granted()).to.deep.equal({});
    expect(granted('ClusterTrustBundle', 'PodCertificateRequest')).to.deep.equal({
      'system:node': ['podcertificaterequests', 'clustertrustbundles'],
      'system:cluster-trust-bundle-discovery': ['clustertrustbundles'],
    });
    expect(granted('GenericWorkload', 'DRADeviceTaintRules')).to.deep.equal({
      'system:kube-scheduler': ['devicetaintrules', 'podgroups', 'podgroups/status'],
      'system:aggregate-to-view': ['workloads,podgroups,podgroups/status'],
      'system:aggregate-to-edit': ['workloads,podgroups'],
    });
    const { clusterrolebindings = [] } = gatedRoles(
      () => true,
      (feature) => feature === 'ClusterTrustBundle',
    );
    const bound = clusterrolebindings.find(({ metadata }) => metadata.name === 'system:cluster-trust-bundle-discovery');
    expect(bound?.['subjects']).to.deep.equal([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }]);
  });
});
