import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** A line such as "- `test/x.test.ts`: title" names a test or group. */
const named = /`(test\/\S+\.test\.ts)`: (.+)$/;
const page = (): string => fs.readFileSync(path.join(packageRoot, 'docs', 'promises.md'), 'utf8');

describe('torture/promises', () => {
  it('names only tests that exist', () => {
    const tests = page()
      .split('\n')
      .flatMap((line) => named.exec(line)?.slice(1) ?? []);
    expect(tests.length).to.be.greaterThan(20);
    for (let at = 0; at < tests.length; at += 2) {
      const [file = '', title = ''] = tests.slice(at);
      const text = fs.readFileSync(path.join(packageRoot, file), 'utf8');
      expect(text.includes(`it('${title}'`) || text.includes(`describe('${title}'`), `${file}: ${title}`).to.equal(true);
    }
  });

  it('names a test for every promise', () => {
    const promises = page()
      .split(/^(?=\d+\. \*\*)/m)
      .slice(1);
    expect(promises.length).to.be.greaterThan(10);
    for (const promise of promises) expect(promise.split(/^## /m)[0]).to.match(/- `test\//);
  });
});
