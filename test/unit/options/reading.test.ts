import { expect } from 'chai';
import { readApiServerOptions, type ApiServerOptions } from '../../../server/options/apiserver.js';
import { featuresOf, unknownFeatures } from '../../../server/options/features.js';
import { cachedResources } from '../../../server/options/watchCache.js';

const options = (...argv: string[]): ApiServerOptions => {
  const read = readApiServerOptions(argv);
  if (!read.ok) throw new Error(read.errors.join('; '));
  return read.options;
};
const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };

describe('options of reading', () => {
  it('caches everything, nothing, or all but what has the size 0', () => {
    const cached = (...argv: string[]): boolean[] => [pods, deployments].map(cachedResources(options(...argv)));
    expect(cached()).to.deep.equal([true, true]);
    expect(cached('--watch-cache=false')).to.deep.equal([false, false]);
    expect(cached('--watch-cache-sizes=pods#0,deployments.apps#100')).to.deep.equal([false, true]);
    expect(cached('--watch-cache-sizes=deployments.apps#0')).to.deep.equal([true, false]);
    expect(cached('--watch-cache-sizes=deployments#0')).to.deep.equal([true, true]);
  });

  it('refuses sizes that are none', () => {
    for (const size of ['pods', 'pods#', 'pods#-1', 'pods#x', '#0'])
      expect(readApiServerOptions([`--watch-cache-sizes=${size}`]).ok, size).to.equal(false);
  });

  it('switches features', () => {
    expect(featuresOf(options())).to.deep.equal({
      APIResponseCompression: true,
      AllowUnsafeMalformedObjectDeletion: false,
      AuthorizePodWebsocketUpgradeCreatePermission: true,
      CBORServingAndStorage: false,
      WatchList: true,
    });
    expect(featuresOf(options('--feature-gates=APIResponseCompression=false')).APIResponseCompression).to.equal(false);
    expect(unknownFeatures(options('--feature-gates=APIResponseCompression=false,Other=true'))).to.deep.equal(['Other']);
  });
});
