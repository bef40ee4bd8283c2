import { expect } from 'chai';
import { accountNames } from '../../../controllers/accountNames.js';
import { controllerCatalogue, missingControllers, unknownControllers } from '../../../controllers/catalogue.js';
import { referenceControllers } from '../../../controllers/referenceControllers.js';

describe('controllers/referenceControllers', () => {
  it('has each controller of this program, with the same older name', () => {
    const pairs = new Map(referenceControllers);
    expect(pairs.size).to.equal(referenceControllers.length);
    for (const { name, alias } of controllerCatalogue) expect([name, pairs.get(name)]).to.deep.equal([name, alias]);
  });

  it('lets command lines pass that were made for the reference', () =>
    expect(unknownControllers(['*', 'bootstrapsigner', 'tokencleaner', '-ttl-controller', '-nodelifecycle'])).to.deep.equal([]));

  it('tells which are missing', () => {
    expect(missingControllers).to.not.include('cronjob-controller');
    expect(missingControllers.length + controllerCatalogue.length).to.equal(referenceControllers.length);
  });
});

describe('controllers/accountNames', () => {
  it('names the account of every controller, and no other', () =>
    expect([...accountNames].sort()).to.deep.equal([...new Set(controllerCatalogue.map(({ account }) => account))].sort()));
});
