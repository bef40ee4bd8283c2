import { expect } from 'chai';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { inSources } from '../../sourcePlaces.js';

describe('stacks of failures', () => {
  it('tell the places of the sources, and leave the others as they are', () => {
    const [message, first = ''] = inSources(`${new Error('here').stack}`).split('\n');
    expect(message).to.equal('Error: here');
    const [, file = '', line = ''] = /\(?([^\s()]+):(\d+):\d+\)?$/.exec(first) ?? [];
    expect(file).to.equal(`${packageRoot}/test/unit/layers/sourcePlaces.test.ts`);
    expect(fs.readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).to.contain("new Error('here')");
    const others = 'Error: no\n    at node:internal/x:1:2\n    at f (/nowhere/file.js:3:4)';
    expect(inSources(others)).to.equal(others);
    expect(inSources(`at ${import.meta.url}:1:1`)).not.to.contain(fileURLToPath(import.meta.url));
  });
});
