import { expect } from 'chai';
import { Linter, type Rule } from 'eslint';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** The project's own rule: two neighbouring parameters of one type are told apart by name. */
describe('lint, named neighbours', () => {
  const file = '/sample.ts';
  let rule: Rule.RuleModule;

  before(async () => {
    const address = pathToFileURL(path.join(packageRoot, '.ci/lint/namedNeighbours.mjs')).href;
    rule = ((await import(address)) as { readonly namedNeighbours: Rule.RuleModule }).namedNeighbours;
  });

  /** The pairs that are found in a program of one file. */
  function found(code: string): readonly string[] {
    const host = ts.createCompilerHost({});
    const text = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
    const program = ts.createProgram([file], { strict: true, noLib: true, types: [] }, { ...host, getSourceFile: () => text });
    const messages = new Linter({ cwd: '/' }).verify(
      code,
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as Linter.Parser, parserOptions: { programs: [program] } },
        plugins: { own: { rules: { 'named-neighbours': rule } } },
        rules: { 'own/named-neighbours': 'error' },
      },
      { filename: file },
    );
    return messages.map(({ message }) => /^`(.+)` and `(.+)` are both (.+?):/.exec(message)?.slice(1).join(' ') ?? message);
  }

  it('finds them in functions, methods, constructors and interfaces', () => {
    expect(found('export function f(city: string, street: string): void {}')).to.deep.equal(['city street string']);
    expect(found('export const f = (city: string, street: string): string => city + street;')).to.deep.equal(['city street string']);
    expect(found('class A { m(width: number, weight: number): void {} }')).to.deep.equal(['width weight number']);
    expect(found('class A { constructor(private readonly city: string, street = "") {} }')).to.deep.equal(['city street string']);
    expect(found('interface A { m(city: string, street?: string): void }')).to.deep.equal(['city street string']);
  });

  it('goes by types, not by how they are written', () => {
    expect(found('type Name = string; function f(city: Name, street: string | null): void {}')).to.deep.equal(['city street string']);
    expect(found('interface A { n: 1 } function f(cat: A, dog: A): void {}')).to.deep.equal(['cat dog A']);
    expect(found('interface A { n: 1 } interface B { n: 1 } function f(cat: A, dog: B): void {}')).to.deep.equal([]);
    expect(found('type Id = string & { id: true }; function f(id: Id, street: string): void {}')).to.deep.equal([]);
  });

  it('lets be what is named, what stands apart, and what readers know', () => {
    expect(found('function f(city: string, { street }: { street: string }): void {}')).to.deep.equal([]);
    expect(found('function f(city: string, floor: number, street: string): void {}')).to.deep.equal([]);
    expect(found('function f(namespace: string, name: string): void {}')).to.deep.equal([]);
    expect(found('function f(object: string, old: string): void {}')).to.deep.equal([]);
  });

  it('does not ask callbacks, whose signature stands elsewhere', () => {
    const each = 'declare function each(visit: (city: string, street: string) => void): void;';
    expect(found(`${each} each((city: string, street: string) => {});`)).to.deep.equal([]);
    expect(found(`${each} const visit: (city: string, street: string) => void = (city, street) => {};`)).to.deep.equal([]);
  });
});
