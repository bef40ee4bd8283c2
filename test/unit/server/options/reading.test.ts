import { expect } from 'chai';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { ApiServerOptions } from '../../../../server/options/flags.js';
import type { FeatureGate } from '../../../../program/features/gates.js';
import { featuresOf } from '../../../../program/features/options.js';
import { cachedResources } from '../../../../server/options/watchCache.js';

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
    const on = (name: FeatureGate, ...argv: string[]): boolean => featuresOf(options(...argv)).enabled(name);
    expect(on('APIResponseCompression')).to.equal(true);
    expect(on('AllowUnsafeMalformedObjectDeletion')).to.equal(false);
    expect(on('APIResponseCompression', '--feature-gates=APIResponseCompression=false')).to.equal(false);
    expect(on('AllowUnsafeMalformedObjectDeletion', '--feature-gates=kube:AllAlpha=true')).to.equal(true);
    expect(on('APIResponseCompression', '--feature-gates=AllBeta=false')).to.equal(false);
    expect(on('APIResponseCompression', '--feature-gates=AllBeta=false,APIResponseCompression=true')).to.equal(true);
  });
});
