import { expect } from 'chai';
import { clusterTrustBundles as alpha } from '../../../../api/types/certificates/v1alpha1.js';
import { clusterTrustBundles as beta } from '../../../../api/types/certificates/v1beta1.js';
import { podCertificateRequests } from '../../../../api/types/certificates/v1beta1.js';
import { podCertificateRequestCleaner } from '../../../../controllers/podcertificates/requestCleaner.js';
import { bundleOf } from '../../../../controllers/trustbundles/bundle.js';
import { trustBundlePublisher } from '../../../../controllers/trustbundles/publisher.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

const name = /^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24}$/;

describe('the publisher of trust bundles', () => {
  for (const type of [beta, alpha])
    it(`keeps one bundle in ${type.version}, that of the authorities of now`, async () => {
      const world = controllerWorld({ rootCa: 'PEM' });
      world.api.answers.set(`/apis/certificates.k8s.io/${type.version}`, () => ({ resources: [{ name: 'clustertrustbundles' }] }));
      world.api.seed(type, bundleOf('old'), {
        metadata: { name: 'example.com:s:a' },
        spec: { signerName: 'example.com/s', trustBundle: 'x' },
      });
      await world.start(trustBundlePublisher);
      await world.settled();
      const bundles = world.api.all(type);
      expect(bundles.map(({ spec }) => spec.trustBundle)).to.have.members(['x', 'PEM']);
      expect(world.counts.get('clustertrustbundle_publisher_sync_total {"code":"200"}')).to.be.greaterThan(0);
      expect(bundles.find(({ spec }) => spec.trustBundle === 'PEM')?.metadata.name).to.match(name);
      await world.stop();
    });

  it('waits where the server has no such type', async () => {
    const world = controllerWorld({ rootCa: 'PEM' });
    await world.start(trustBundlePublisher);
    expect(await world.writes()).to.deep.equal([]);
    expect(world.errors).to.deep.equal([]);
    await world.stop();
  });

  it('has nothing to do without authorities', () => expect(trustBundlePublisher(controllerWorld().environment)).to.equal(null));
});

describe('the cleaner of pod certificate requests', () => {
  it('removes them after a quarter of an hour', async () => {
    const world = controllerWorld();
    world.api.answers.set('/apis/certificates.k8s.io/v1beta1', () => ({ resources: [{ name: 'podcertificaterequests' }] }));
    const spec = {
      signerName: 's',
      podName: 'p',
      podUID: 'u',
      serviceAccountName: 'a',
      serviceAccountUID: 'v',
      nodeName: 'n',
      nodeUID: 'w',
    };
    world.api.seed(podCertificateRequests, { metadata: { name: 'r', namespace: 'n' }, spec });
    await world.start(podCertificateRequestCleaner);
    await world.advance(15 * 60_000);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(60_000);
    expect((await world.writes()).map(({ verb, key }) => [verb, key])).to.deep.equal([['delete', 'n/r']]);
    await world.stop();
  });
});
