import { expect } from 'chai';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { catalogueOf, closedGates, emulatedCatalogue, runtimeConfigProblem, servedBy } from '../../../../server/options/runtimeConfig.js';

describe('--runtime-config', () => {
  const jobs = (version: string): { group: string; version: string; resource: string } => ({ group: 'batch', version, resource: 'jobs' });
  const pods = { group: '', version: 'v1', resource: 'pods' };
  const cases: [Record<string, string>, { group: string; version: string; resource: string }, boolean, boolean][] = [
    [{}, jobs('v1'), true, true],
    [{}, jobs('v1beta1'), false, false],
    [{ 'batch/v1': 'false' }, jobs('v1'), true, false],
    [{ 'batch/v1beta1': 'true' }, jobs('v1beta1'), false, true],
    [{ 'batch/v1/jobs': 'false' }, jobs('v1'), true, false],
    [{ 'batch/v1/cronjobs': 'false' }, jobs('v1'), true, true],
    [{ 'batch/v1/jobs': 'true', 'batch/v1': 'false' }, jobs('v1'), true, true],
    [{ 'batch/v1beta1/jobs': 'true', 'api/beta': 'false' }, jobs('v1beta1'), false, true],
    [{ 'api/all': 'false', 'batch/v1': 'true' }, jobs('v1'), true, true],
    [{ 'api/all': 'false' }, jobs('v1'), true, false],
    [{ 'api/beta': 'true' }, jobs('v2beta1'), false, true],
    [{ 'api/beta': 'true', 'api/all': 'false' }, jobs('v2beta1'), false, true],
    [{ 'api/ga': 'false' }, jobs('v1alpha1'), false, false],
    [{ 'api/alpha': '' }, jobs('v1alpha1'), false, true],
    [{ v1: 'false' }, pods, true, false],
    [{ 'api/v1': 'false' }, pods, true, false],
    [{ 'api/v1/pods': 'false' }, pods, true, false],
    [{ 'v1/pods': 'true', v1: 'false' }, pods, true, true],
  ];
  for (const [config, resource, byDefault, served] of cases) {
    it(`${JSON.stringify(config)} on ${resource.group}/${resource.version}/${resource.resource}`, () => {
      expect(servedBy(config)(resource, byDefault)).to.equal(served);
    });
  }

  it('shapes the catalogue: versions, single resources, and what is preferred and stored', () => {
    const catalogue = catalogueOf({
      'autoscaling/v2': 'false',
      'batch/v1/cronjobs': 'false',
      'certificates.k8s.io/v1beta1': 'true',
      'resource.k8s.io/v1beta2/deviceclasses': 'true',
      'policy/v1': 'false',
    });
    expect(catalogue.group('autoscaling')?.versions.map(({ version }) => version)).to.deep.equal(['v1']);
    expect(
      catalogue.resource('autoscaling', 'v1', 'horizontalpodautoscalers')?.storage.version,
      'what is kept stays in its version',
    ).to.equal('v2');
    expect(catalogue.version('batch', 'v1')?.resources.map(({ resource }) => resource)).to.deep.equal(['jobs']);
    expect(catalogue.resource('certificates.k8s.io', 'v1beta1', 'clustertrustbundles')).to.not.equal(null);
    expect(catalogue.version('resource.k8s.io', 'v1beta2')?.resources.map(({ resource }) => resource)).to.deep.equal(['deviceclasses']);
    expect(catalogue.group('policy')).to.equal(null);
  });

  it('serves what waits for a feature only while that is on, and says so', () => {
    const served = (...more: string[]): unknown => {
      const read = readApiServerOptions(['--runtime-config=certificates.k8s.io/v1beta1,coordination.k8s.io/v1beta1', ...more]);
      if (!read.ok) throw new Error(read.errors.join('; '));
      const catalogue = emulatedCatalogue(read.options);
      const names = [
        ['certificates.k8s.io', 'clustertrustbundles'],
        ['certificates.k8s.io', 'podcertificaterequests'],
        ['coordination.k8s.io', 'leasecandidates'],
      ] as const;
      return {
        served: names.map(([group, name]) => catalogue.resource(group, 'v1beta1', name) !== null),
        reported: closedGates(read.options).map((text) => /names (\S+),.*--feature-gates=(\w+)=true$/.exec(text)?.slice(1).join(' ')),
      };
    };
    expect(served()).to.deep.equal({
      served: [false, false, true],
      reported: [
        'certificates.k8s.io/v1beta1/clustertrustbundles ClusterTrustBundle',
        'certificates.k8s.io/v1beta1/podcertificaterequests PodCertificateRequest',
      ],
    });
    expect(served('--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true')).to.deep.equal({
      served: [true, true, true],
      reported: [],
    });
    expect(served('--feature-gates=AllBeta=true')).to.deep.equal({ served: [true, true, true], reported: [] });
  });

  it('serves the requests for the state of device pools without their feature, so that they can be removed', () => {
    const read = readApiServerOptions(['--runtime-config=resource.k8s.io/v1alpha3=true']);
    if (!read.ok) throw new Error(read.errors.join('; '));
    expect(emulatedCatalogue(read.options).resource('resource.k8s.io', 'v1alpha3', 'resourcepoolstatusrequests')).to.not.equal(null);
    expect(closedGates(read.options)).to.deep.equal([]);
  });

  it('serves what has gone since only where a version is emulated that has it', () => {
    const served = (minor: number): boolean => {
      const read = readApiServerOptions([`--emulated-version=1.${minor}`, '--runtime-config=api/all=true']);
      if (!read.ok) throw new Error(read.errors.join('; '));
      const catalogue = emulatedCatalogue(read.options);
      const found = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map(
        (name) => catalogue.resource('admissionregistration.k8s.io', 'v1beta1', name)?.storage.version,
      );
      expect(new Set(found).size).to.equal(1);
      return found[0] === 'v1';
    };
    expect([33, 34, 36].map(served)).to.deep.equal([true, false, false]);
  });

  it('takes a name without a value for one that is to be served', () => {
    const read = readApiServerOptions(['--runtime-config=api/v1,batch/v1=false']);
    expect(read.ok && read.options['runtime-config']).to.deep.equal({ 'api/v1': 'true', 'batch/v1': 'false' });
  });

  it('refuses keys that are nothing, and nothing at all', () => {
    expect(
      runtimeConfigProblem({
        'batch/v1': 'true',
        'batch/v7': 'true',
        'api/all': 'true',
        nope: 'true',
        'batch/v1/pods': 'false',
        'policy/v1beta1': 'true',
        'resource.k8s.io/v1alpha3/resourceclaims': 'true',
        'api/legacy': 'false',
        'nobody.example.com/v1': 'true',
        'batch/v1/Jobs': 'true',
      }),
    ).to.match(/names batch\/v7, nope, nobody\.example\.com\/v1, batch\/v1\/Jobs, which/);
    expect(runtimeConfigProblem({ 'api/all': 'false' })).to.match(/nothing to serve/);
    expect(runtimeConfigProblem({ 'api/all': 'false', v1: 'true', 'batch/v1/jobs': 'true' })).to.equal(null);
    const read = readApiServerOptions(['--runtime-config=batch/v7=true']);
    expect(read.ok ? [] : read.errors).to.satisfy((errors: string[]) => errors.length === 1 && errors[0]?.includes('batch/v7'));
  });
});
