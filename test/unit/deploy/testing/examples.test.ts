import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { TestCluster } from '../../../../deploy/testing/index.js';
import { FaultyMember } from '../../../../deploy/testing/member.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

/** `test/cluster/package.test.ts` runs the examples; this checks that none is missing. */
describe('testing/examples', () => {
  const text = fs.readFileSync(path.join(packageRoot, 'examples', 'faults.test.mjs'), 'utf8');
  const faults = {
    ofMembers: ['kill', 'pause', 'resume', 'slowDisk'],
    ofClusters: ['partition', 'heal', 'transferLeadership', 'expireHistory', 'dropWatches', 'fail'],
  } as const;

  it('has one in which a bug is caught for each fault that the library knows', () => {
    const titles = [...text.matchAll(/caught\(\s*['`](.*?)['`]/g)].map(([, title]) => title!);
    const missing = [...faults.ofMembers, ...faults.ofClusters, 'clock.advance'].filter(
      (fault) => !titles.some((title) => title.split(/ and | with /).includes(fault)),
    );
    expect(missing).to.deep.equal([]);
    for (const manner of ['Retry-After', '500', '503', 'reset', 'latency', 'conflict'])
      expect(
        titles.filter((title) => title.startsWith('fail with') && expandsTo(title, manner)),
        manner,
      ).not.to.be.empty;
  });

  it('names methods that there are', () => {
    expect(faults.ofMembers.filter((name) => !Object.hasOwn(FaultyMember.prototype, name))).to.deep.equal([]);
    expect(faults.ofClusters.filter((name) => !Object.hasOwn(TestCluster.prototype, name))).to.deep.equal([]);
  });

  /** A title may contain a loop's status. */
  function expandsTo(title: string, manner: string): boolean {
    return title.includes(manner) || (title.includes('${status}') && new RegExp(`for \\(const status of \\[.*\\b${manner}\\b`).test(text));
  }
});
