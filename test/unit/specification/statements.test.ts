import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { call } from '../server/endpoints/client.js';
import { startTestServer, type TestServer } from '../server/endpoints/harness.js';
import { configMaps, statements, statementTable, type Ask } from './statements.js';

describe('statements of the specification that a kube-apiserver does not keep', () => {
  let server: TestServer;
  const ask: Ask = (method, at, more) => call(server.url, method, at, more);

  beforeEach(async () => {
    server = await startTestServer();
    for (const name of ['a', 'b']) await ask('POST', configMaps, { body: { metadata: { name }, data: { k: 'v' } } });
  });
  afterEach(() => server.close());

  for (const { about, answer, holds } of statements)
    it(`${about}: ${answer}`, async () => {
      await holds(ask);
    });

  it('are those of docs/compatibility.md', () =>
    expect(fs.readFileSync(path.join(packageRoot, 'docs/compatibility.md'), 'utf8')).to.contain(`\n${statementTable()}\n`));
});
