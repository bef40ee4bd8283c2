import { expect } from 'chai';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from '@typescript/typescript6';
import { generate } from '../../../../api/generate/generate.js';
import { readFacts } from '../../../../api/generate/read.js';
import type { ApiObject } from '../../../../api/object.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';

/** The example of CONTRIBUTING.md, run in a copy of the build. */
const document = readFileSync(path.join(packageRoot, 'CONTRIBUTING.md'), 'utf8').split('## A new kind')[1] ?? '';
const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(document)?.[1] ?? '';
const declaration = 'server/kinds/greetings.example.io/greetings.ts';
const facts = 'api/facts/greetings/v1.yaml';

describe('registry/newKind', function () {
  let copy = '';
  let generated: ReadonlyMap<string, string>;
  const imported = <T>(module: string): Promise<T> => import(pathToFileURL(path.join(copy, 'dist', module)).href) as Promise<T>;
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), text);
  };

  before(() => {
    copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'new-kind-')));
    const without = { recursive: true, filter: (file: string) => !file.endsWith('.map') };
    for (const folder of ['server', 'cel', 'program', 'api', 'workers', 'raft'])
      cpSync(path.join(packageRoot, 'dist', folder), path.join(copy, 'dist', folder), without);
    cpSync(path.join(packageRoot, 'api', 'facts'), path.join(copy, 'api', 'facts'), { recursive: true });
    cpSync(path.join(packageRoot, 'package.json'), path.join(copy, 'package.json'));
    symlinkSync(path.join(packageRoot, 'node_modules'), path.join(copy, 'node_modules'));
    write(facts, block('yaml'));
    generated = generate(readFacts(path.join(copy, 'api', 'facts')));
    for (const [file, text] of generated) write(path.join('api', file), text);
    const { module, target } = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    write(`dist/${declaration.replace('.ts', '.js')}`, ts.transpileModule(block('ts'), { compilerOptions: { module, target } }).outputText);
    const list = path.join(copy, 'dist/server/kinds/index.js');
    const text = readFileSync(list, 'utf8');
    expect(text).to.include('const kinds = [');
    writeFileSync(
      list,
      `import { greetings } from './greetings.example.io/greetings.js';\n${text.replace('const kinds = [', 'const kinds = [greetings, ')}`,
    );
  });

  after(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  it('fits the types that are generated from the facts', () => {
    const inMemory = new Map([
      [path.join(packageRoot, declaration), block('ts')],
      [path.join(packageRoot, 'api/types/greetings/v1.ts'), generated.get('types/greetings/v1.ts') ?? ''],
    ]);
    const read = ts.readConfigFile(path.join(packageRoot, 'tsconfig.base.json'), (file) => ts.sys.readFile(file));
    const { options } = ts.parseJsonConfigFileContent({ ...(read.config as object), files: [], include: [] }, ts.sys, packageRoot);
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (file) => inMemory.has(file) || fileExists(file);
    host.directoryExists = () => true;
    host.readFile = (file) => inMemory.get(file) ?? readFile(file);
    host.getSourceFile = (file, languageVersion, ...rest) => {
      const text = inMemory.get(file);
      return text === undefined ? getSourceFile(file, languageVersion, ...rest) : ts.createSourceFile(file, text, languageVersion);
    };
    const program = ts.createProgram([path.join(packageRoot, declaration)], { ...options, composite: false, noEmit: true }, host);
    const wrong = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
    expect(wrong).to.deep.equal([]);
  });

  it('is served with its names, defaults, rules, fields and columns', async () => {
    const { createCatalogue, selectableFieldsOf } =
      await imported<typeof import('../../../../server/kinds/index.js')>('server/kinds/index.js');
    const { createRegistry } = await imported<typeof import('../../../../server/registry/store.js')>('server/registry/store.js');
    const { createMemoryStorage } = await imported<typeof import('../../../../server/storage/memory.js')>('server/storage/memory.js');
    const storage = createMemoryStorage({ selectableFields: selectableFieldsOf });
    const catalogue = createCatalogue();
    const resource = catalogue.resource('greetings.example.io', 'v1', 'greetings');
    const namespaces = catalogue.resource('', 'v1', 'namespaces');
    if (resource === null || namespaces === null) throw new Error('not served');
    expect(resource.shortNames).to.deep.equal(['hi']);
    const registry = createRegistry({ storage });
    const options = {
      user: { name: 'u', uid: '', groups: [], extra: {} },
      manager: 'm',
      dryRun: false,
      timeoutMs: 1000,
      warn: () => undefined,
    };
    await registry.create({ resource: namespaces, namespace: '', name: '' }, { metadata: { name: 'default' } }, options);
    const create = (name: string, spec: object): Promise<{ decode(): ApiObject }> =>
      registry.create({ resource, namespace: 'default', name: '' }, { metadata: { name }, spec: spec as ApiObject }, options);
    const made = (await create('one', { to: 'Ada' })).decode();
    expect(made['spec']).to.deep.equal({ to: 'Ada', times: 1 });
    expect(made.metadata.generation).to.equal(1);
    const refused = async (write: Promise<unknown>): Promise<string> => {
      try {
        await write;
      } catch (error) {
        return (error as Error).message;
      }
      return 'accepted';
    };
    expect(await refused(create('two', { times: -1 })))
      .to.include('spec.to: Required value')
      .and.to.include('spec.times: Invalid value: -1');
    const change = (spec: object): Promise<unknown> =>
      registry.update(
        { resource, namespace: 'default', name: 'one' },
        { apply: (current) => ({ ...current, spec }) as unknown as ApiObject, subresource: '', uid: null, mayCreate: null },
        options,
      );
    expect(await refused(change({ to: 'Grace' }))).to.include('spec.to: Invalid value: "Grace": field is immutable');
    expect(await refused(change({ to: 'Ada', times: 3 }))).to.equal('accepted');
    const { object } = (await storage.get({ resource: resource.storage, namespace: 'default', name: 'one' }, { at: 'any' })) as {
      object: { decode(): ApiObject };
    };
    expect(object.decode().metadata.generation).to.equal(2);
    expect(resource.behaviour.columns.map(({ cell }) => cell(made, Date.parse(made.metadata.creationTimestamp ?? '')))).to.deep.equal([
      'one',
      'Ada',
      '0s',
    ]);
    const listed = await registry.list(resource, {
      namespace: 'default',
      labels: [],
      fields: [{ field: 'spec.to', equals: true, value: 'Ada' }],
      consistency: { at: 'mostRecent' },
      limit: null,
      after: null,
    });
    expect(listed.items.map(({ name }) => name)).to.deep.equal(['one']);
  });
});
