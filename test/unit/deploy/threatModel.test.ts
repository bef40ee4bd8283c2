import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** A line such as "- `test/x.test.ts`: title" names a test or group. */
const named = /^- `(test\/\S+\.test\.ts)`: (.+)$/;
const chapters = ['Nobody', 'A user', 'An administrator', 'A node', 'Extension servers', 'Unauthenticated peers'];

describe('unit/deploy/threatModel', () => {
  const page = fs.readFileSync(path.join(packageRoot, 'docs', 'threat-model.md'), 'utf8');

  it('names only tests that exist', () => {
    const tests = page.split('\n').flatMap((line) => {
      const [, file, title] = named.exec(line) ?? [];
      return file !== undefined && title !== undefined ? [{ file, title }] : [];
    });
    expect(tests.length).to.be.greaterThan(20);
    for (const { file, title } of tests) {
      const text = fs.readFileSync(path.join(packageRoot, file), 'utf8');
      expect(
        ['it', 'describe'].some((word) => text.includes(`${word}('${title}'`)),
        `${file}: ${title}`,
      ).to.equal(true);
    }
  });

  it('names a test for everybody who may come', () => {
    const parts = page.split(/^## /m);
    for (const chapter of chapters) expect(parts.find((part) => part.startsWith(chapter)) ?? '', chapter).to.match(/^- `test\//m);
  });
});
