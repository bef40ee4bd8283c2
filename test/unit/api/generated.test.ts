import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { generate, generatedFolders } from '../../../api/generate/generate.js';
import { readFacts } from '../../../api/generate/read.js';
import { packageRoot } from '../../fixtures/packageRoot.js';

const api = path.join(packageRoot, 'api');
const present = (): string[] =>
  generatedFolders.flatMap((folder) =>
    readdirSync(path.join(api, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(json|ts)$/.test(file))
      .map((file) => `${folder}/${file.split(path.sep).join('/')}`),
  );

describe('api/data and api/types', () => {
  it('are what follows from api/facts: npm run generate', () => {
    const wanted = generate(readFacts(path.join(api, 'facts')));
    const stale = [...wanted]
      .filter(([file, text]) => !present().includes(file) || readFileSync(path.join(api, file), 'utf8') !== text)
      .map(([file]) => file);
    expect(stale, 'not up to date').to.deep.equal([]);
    expect(
      present().filter((file) => !wanted.has(file)),
      'follows from no fact',
    ).to.deep.equal([]);
  });
});
