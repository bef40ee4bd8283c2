import { expect } from 'chai';
import type { ApiObject } from '../../../../api/object.js';
import type { MetadataFindings, Review, Rules, WriteContext } from '../../../../server/registry/rules.js';
import type { Strategy } from '../../../../server/registry/strategy.js';
import { invalid, Path, type FieldError } from '../../../../server/registry/validation/field.js';
import { wholeStrategy } from '../../../../server/registry/wholeStrategy.js';
import { inOneGo, type Steps } from '../../../../api/steps.js';

/** Defaults for missing declarations, and the order of declared steps. */

const status = { name: 'status', group: '', version: 'v1', kind: 'Thing', verbs: new Set<string>() };
const strategyOf = (rules: Rules, hasStatus = true): Strategy =>
  wholeStrategy(rules, {
    group: '',
    version: 'v1',
    kind: 'Sample',
    namespaced: true,
    subresources: new Map(hasStatus ? [['status', status]] : []),
  });

const calls: string[] = [];
const context = { dropGated: () => calls.push('gated') } as unknown as WriteContext;
const thing = (content: Record<string, string>, generation = 1): ApiObject => ({
  metadata: { name: 't', generation, labels: { a: 'b' } },
  ...content,
});
const finding = (name: string): FieldError[] => [invalid(Path.of(name), '', '')];
const metadata: MetadataFindings = { object: () => finding('objectMeta'), update: () => finding('objectMetaUpdate') };
const review: Review = { metadata, context, servedAs: { apiVersion: 'v1' } };
const pathsOf = (findings: Steps<FieldError[]>): string[] => inOneGo(findings).map(({ path }) => path);

describe('kinds, strategies', () => {
  beforeEach(() => (calls.length = 0));

  it('begin without a status where it is written by itself, and keep it on update', () => {
    const { create, update } = strategyOf({});
    const made = thing({ spec: 's', status: 'mine' });
    create.prepare(made, context);
    expect(made['status']).to.deep.equal({});
    const changed = thing({ spec: 'new', status: 'mine' });
    update.prepare(changed, thing({ spec: 'old', status: 'theirs' }), context);
    expect(changed).to.include({ spec: 'new', status: 'theirs' });
  });

  it('take a status as it is sent where nobody else writes it', () => {
    const made = thing({ status: 'mine' });
    strategyOf({}, false).create.prepare(made, context);
    expect(made['status']).to.equal('mine');
  });

  it('begin each object with a status of its own', () => {
    const { create } = strategyOf({ create: { status: { counts: [] } as never } });
    const [one, other] = [thing({}), thing({})];
    create.prepare(one, context);
    create.prepare(other, context);
    expect(one['status']).to.deep.equal({ counts: [] });
    expect(one['status']).to.not.equal(other['status']);
  });

  it('find faults of metadata twice for the object, and once for the change through a status', () => {
    const validate = (): FieldError[] => finding('own');
    const strategy = strategyOf({ update: { validate }, subresources: { status: { validate } } });
    expect(pathsOf(strategy.update.review(thing({}), thing({}), review))).to.deep.equal(['objectMetaUpdate', 'objectMeta', 'own']);
    expect(pathsOf(strategy.through('status').review(thing({}), thing({}), review))).to.deep.equal(['objectMetaUpdate', 'own']);
  });

  it('let a status write change the status, and the metadata unless that is kept', () => {
    const write = (keepsMetadata: boolean): ApiObject => {
      const changed: ApiObject = { metadata: { name: 't', labels: { c: 'd' } }, spec: 'new', status: 'mine', more: 'x' };
      strategyOf({ subresources: { status: { keepsMetadata } } })
        .through('status')
        .prepare(changed, thing({ spec: 'old', status: 'theirs' }), context);
      return changed;
    };
    expect(write(false)).to.deep.equal({ metadata: { name: 't', labels: { c: 'd' } }, spec: 'old', status: 'mine' });
    expect(write(true).metadata.labels).to.deep.equal({ a: 'b' });
  });

  it('prepare, drop fields of features, and then count', () => {
    const { update } = strategyOf({
      metadata: { generationOf: ['spec'] },
      prepare: () => calls.push('every write'),
      update: { prepare: (object, old) => calls.push(`update to ${object.metadata.generation}, ${String(old['spec'])}`) },
    });
    const changed = thing({ spec: 'new' });
    update.prepare(changed, thing({ spec: 'old' }), context);
    expect(calls).to.deep.equal(['every write', 'update to 1, old', 'gated']);
    expect(changed.metadata.generation).to.equal(2);
  });

  it('look for what the list of a review names, in its order', () => {
    const own = (): FieldError[] => finding('own');
    const old = thing({});
    expect(pathsOf(strategyOf({ update: { validate: own } }).update.review(old, old, review))).to.deep.equal([
      'objectMetaUpdate',
      'objectMeta',
      'own',
    ]);
    const listed = strategyOf({ update: { review: [own, 'objectMeta', own] } });
    expect(pathsOf(listed.update.review(old, old, review))).to.deep.equal(['own', 'objectMeta', 'own']);
  });

  it('follow the rules of the object through a subresource without any, but never through status', () => {
    const strategy = strategyOf({ update: { validate: () => finding('own') } });
    expect(strategy.through('scale')).to.equal(strategy.update);
    expect(pathsOf(strategy.through('status').review(thing({}), thing({}), review))).to.deep.equal(['objectMetaUpdate']);
  });
});
