import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** A row has a statement, and tests by file and title. */
const row = /^\| (?<statement>.+?) \| (?<tests>`test\/.+) \|$/;
const test = /^`(?<file>test\/\S+\.test\.ts)`: (?<title>.+)$/;

const section = fs
  .readFileSync(path.join(packageRoot, 'docs/compatibility.md'), 'utf8')
  .split(/^## /m)
  .find((part) => part.startsWith('Statements that hold\n'));
const rows = (section ?? '').split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| statement '));

describe('statements that hold', () => {
  it('are listed by chapter', () => {
    expect(rows.length).to.be.greaterThan(50);
    expect((section ?? '').match(/^### /gm)).to.have.length(8);
  });

  for (const line of rows) {
    const { statement = line, tests = '' } = row.exec(line)?.groups ?? {};
    it(statement, () => {
      const named = tests.split('<br>').map((each) => test.exec(each)?.groups);
      expect(named).to.not.include(undefined);
      for (const { file = '', title = '' } of named.filter((each) => each !== undefined)) {
        const source = fs.readFileSync(path.join(packageRoot, file), 'utf8');
        const declared = ['it', 'describe'].flatMap((word) => ["'", '"', '`'].map((quote) => `${word}(${quote}${title}`));
        expect(
          declared.some((text) => source.includes(text)),
          `${file}: ${title}`,
        ).to.equal(true);
      }
    });
  }
});
