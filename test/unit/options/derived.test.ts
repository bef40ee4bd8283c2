import { expect } from 'chai';
import { servedBy, unknownKeys } from '../../../server/options/runtimeConfig.js';

describe('--runtime-config', () => {
  const batch = (version: string): { group: string; version: string } => ({ group: 'batch', version });
  const cases: [Record<string, string>, { group: string; version: string }, boolean, boolean][] = [
    [{}, batch('v1'), true, true],
    [{}, batch('v1beta1'), false, false],
    [{ 'batch/v1': 'false' }, batch('v1'), true, false],
    [{ 'batch/v1beta1': 'true' }, batch('v1beta1'), false, true],
    [{ 'api/all': 'false', 'batch/v1': 'true' }, batch('v1'), true, true],
    [{ 'api/all': 'false' }, batch('v1'), true, false],
    [{ 'api/beta': 'true' }, batch('v2beta1'), false, true],
    [{ 'api/beta': 'true', 'api/all': 'false' }, batch('v2beta1'), false, true],
    [{ 'api/ga': 'false' }, batch('v1alpha1'), false, false],
    [{ 'api/alpha': '' }, batch('v1alpha1'), false, true],
    [{ 'v1': 'false' }, { group: '', version: 'v1' }, true, false],
    [{ 'api/v1': 'false' }, { group: '', version: 'v1' }, true, false],
  ];
  for (const [config, groupVersion, byDefault, served] of cases) {
    it(`${JSON.stringify(config)} on ${groupVersion.group}/${groupVersion.version}`, () => { expect(servedBy(config)(groupVersion, byDefault)).to.equal(served); });
  }
  it('names keys that are nothing', () => {
    expect(unknownKeys({ 'batch/v1': 'true', 'batch/v7': 'true', 'api/all': 'true', 'nope': 'true' }, [batch('v1')])).to.deep.equal(['batch/v7', 'nope']);
  });
});
