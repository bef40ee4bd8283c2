import { expect } from 'chai';
import { podCertificateRequests, type PodCertificateRequest } from '../../../../api/types/certificates/v1beta1.js';
import { podCertificateRequestCleaner } from '../../../../controllers/podcertificates/requestCleaner.js';
import { controllerWorld } from '../../../fixtures/controllerHarness.js';

describe('the cleaner of requests for certificates of pods', () => {
  it('removes each a quarter of an hour after its creation, whatever became of it', async () => {
    const world = controllerWorld();
    world.api.answers.set('/apis/certificates.k8s.io/v1beta1', () => ({ resources: [{ name: 'podcertificaterequests' }] }));
    const creationTimestamp = new Date(world.clock.now()).toISOString();
    const seed = (name: string, status?: object): void => {
      world.api.seed(podCertificateRequests, {
        metadata: { name, namespace: 'n', creationTimestamp },
        spec: {},
        ...(status === undefined ? {} : { status }),
      } as PodCertificateRequest);
    };
    seed('waiting');
    seed('issued', { certificateChain: 'x' });
    await world.start(podCertificateRequestCleaner);
    const left = (): string[] => ['waiting', 'issued'].filter((name) => world.api.peek(podCertificateRequests, `n/${name}`) !== undefined);
    await world.advance(15 * 60_000);
    expect(left()).to.deep.equal(['waiting', 'issued']);
    await world.advance(60_001);
    expect(left()).to.deep.equal([]);
    await world.stop();
  });

  it('has nothing to do where the server has no such type', async () => {
    const world = controllerWorld();
    await world.start(podCertificateRequestCleaner);
    await world.advance(20 * 60_000);
    expect(await world.writes()).to.deep.equal([]);
    await world.stop();
  });
});
