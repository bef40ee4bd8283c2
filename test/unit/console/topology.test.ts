import { expect } from 'chai';
import fc from 'fast-check';
import type { TreeNode } from '../../../console/model/objects.js';
import { drawingOf, nodeHeight, type DrawnNode } from '../../../console/model/topology.js';

const node = (uid: string, ...children: readonly TreeNode[]): TreeNode => ({ object: { metadata: { name: uid, uid } }, children });

const all = (drawn: DrawnNode): readonly DrawnNode[] => [drawn, ...drawn.children.flatMap(all)];

describe('console/topology', () => {
  const family = node('web', node('web-1', node('p1'), node('p2')), node('web-2'));

  it('has owners at the left of their dependents where there is room', () => {
    const { root, height, lines } = drawingOf(family, 900, 'p1');
    expect(all(root).map(({ object, x, y }) => [object.metadata.name, x, y])).to.deep.equal([
      ['web', 0, 60],
      ['web-1', 290, 24],
      ['p1', 580, 0],
      ['p2', 580, 48],
      ['web-2', 290, 96],
    ]);
    expect([height, lines.length]).to.deep.equal([144, 4]);
  });

  it('has owners above their dependents on a narrow screen', () => {
    const { root, height } = drawingOf(family, 340, 'p1');
    expect(all(root).map(({ object, x, y }) => [object.metadata.name, x, y])).to.deep.equal([
      ['web', 0, 0],
      ['web-1', 22, 48],
      ['p1', 44, 96],
      ['p2', 44, 144],
      ['web-2', 22, 192],
    ]);
    expect(height).to.equal(240);
  });

  it('draws some of many, among them always the one that is open', () => {
    const pods = Array.from({ length: 500 }, (_, index) => node(`p${index}`));
    const { root, height } = drawingOf(node('set', ...pods), 900, 'p300');
    expect(root.children.map(({ object }) => object.metadata.uid))
      .to.include('p300')
      .and.have.length(20);
    expect(root.more?.count).to.equal(480);
    expect(root.more?.y).to.equal(height - 48);
  });

  it('never lets two overlap, or stand out at the side', () => {
    const tree = fc.letrec<{ readonly node: TreeNode }>((tie) => ({
      node: fc.record({
        object: fc.uuid().map((uid) => ({ metadata: { name: uid, uid } })),
        children: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('node'), { maxLength: 3 })),
      }),
    })).node;
    fc.assert(
      fc.property(tree, fc.integer({ min: 320, max: 1_400 }), (family, width) => {
        const drawn = all(drawingOf(family, width, '').root);
        for (const a of drawn) {
          expect(a.x + a.width).to.be.at.most(width);
          for (const b of drawn)
            if (a !== b && a.x < b.x + b.width && b.x < a.x + a.width) expect(Math.abs(a.y - b.y)).to.be.at.least(nodeHeight);
        }
      }),
    );
  });
});
