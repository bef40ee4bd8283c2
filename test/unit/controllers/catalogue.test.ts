import { expect } from 'chai';
import { accountNames } from '../../../controllers/accountNames.js';
import { cloudNodes, controllerCatalogue, unknownControllers } from '../../../controllers/catalogue.js';
import { referenceControllers } from './referenceControllers.js';

describe('controllers/catalogue', () => {
  it('has each controller of the reference, with its older name', () => {
    const own = controllerCatalogue.filter(({ name }) => name !== cloudNodes);
    expect(own.map(({ name, alias }) => [name, alias])).to.have.deep.members([...referenceControllers]);
  });

  it('lets command lines pass that were made for the reference', () =>
    expect(unknownControllers(['*', 'bootstrapsigner', 'tokencleaner', '-ttl-controller', '-nodelifecycle'])).to.deep.equal([]));
});

describe('controllers/accountNames', () => {
  it('names the account of every controller, and no other', () =>
    expect([...accountNames].sort()).to.deep.equal([...new Set(controllerCatalogue.map(({ account }) => account))].sort()));
});
