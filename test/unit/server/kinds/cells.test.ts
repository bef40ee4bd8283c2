import { expect } from 'chai';
import { qualifiedName } from '../../../../api/resource.js';
import { columnsOf } from '../../../../api/catalogue/tables.js';
import { cellOf } from '../../../../server/kinds/cells.js';
import { createCatalogue, kindOf } from '../../../../server/kinds/index.js';

/**
 * Declarations define cells by column and facts list the columns: a cell without a column would never show. A column without a cell prevents the server's
 * start.
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

  it('of ingresses count all rules after the third host', () => {
    const resource = served.find((each) => each.kind === 'Ingress' && each.group === 'networking.k8s.io')?.storage;
    const cell = cellOf('Hosts', kindOf(resource!).cells);
    const shown = (...hosts: readonly string[]): unknown => cell({ metadata: {}, spec: { rules: hosts.map((host) => ({ host })) } }, 0);
    expect([shown(), shown('', 'a'), shown('', 'a', 'b', 'c'), shown('', 'a', 'b', 'c', '')]).to.deep.equal([
      '*',
      'a',
      'a,b,c',
      'a,b,c + 2 more...',
    ]);
  });

  it('of load balancers show distinct addresses in order', () => {
    const ingress = [{}, { hostname: 'b' }, { ip: '2.2.2.2' }, { ip: '1.1.1.1' }, { hostname: 'b' }];
    const status = { loadBalancer: { ingress } };
    const service = { metadata: {}, spec: { type: 'LoadBalancer', externalIPs: ['3.3.3.3'] }, status };
    const cell = (kind: string, column: string): unknown =>
      cellOf(column, kindOf(served.find((each) => each.kind === kind)!.storage).cells)(service, 0);
    expect([cell('Ingress', 'Address'), cell('Service', 'External-IP')]).to.deep.equal(['1.1.1.1,2.2.2.2,b', '1.1.1.1,2.2.2.2,b,3.3.3.3']);
  });

  it('are declared for every column', () => {
    expect(() => cellOf('Weather')).to.throw('no cell is declared for column "Weather"');
  });
});
