import { expect } from 'chai';
import { qualifiedName } from '../../../../api/resource.js';
import { columnsOf } from '../../../../api/catalogue/tables.js';
import { cellOf } from '../../../../server/kinds/cells.js';
import { createCatalogue, kindOf } from '../../../../server/kinds/index.js';

/**
 * A declaration names cells by column, the facts list the columns: a name that is in the declaration alone would show nothing. A column without a cell ends the
 * start of the server.
 */
describe('kinds, cells', () => {
  const { groups } = createCatalogue({ serves: () => true });
  const served = groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));

  it('are those of columns that the facts list in some version', () => {
    expect(served).to.have.length.above(60);
    const columns = new Map<string, Set<string>>();
    for (const resource of served) {
      const kind = qualifiedName(resource.storage);
      columns.set(kind, new Set([...(columns.get(kind) ?? []), ...columnsOf(resource).map(({ name }) => name)]));
    }
    const strange = served.flatMap(({ storage }) => {
      const { name, cells = {}, versions = {} } = kindOf(storage);
      const named = [cells, ...Object.values(versions).map((version) => version.cells ?? {})].flatMap(Object.keys);
      return named.filter((column) => columns.get(qualifiedName(storage))?.has(column) !== true).map((column) => `${name}: ${column}`);
    });
    expect([...new Set(strange)]).to.deep.equal([]);
  });

  it('are declared for every column', () => {
    expect(() => cellOf('Weather')).to.throw('no cell is declared for column "Weather"');
  });
});
