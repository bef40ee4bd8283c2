import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { Resource } from '../api/resources.js';
import { t } from '../english.js';
import type { TreeNode } from '../model/objects.js';
import { drawingOf, type DrawnNode } from '../model/topology.js';
import { useWidth } from '../parts/hooks.js';
import { linkTo } from './links.js';

/** Siblings' names differ at their ends, which stay visible. */
const tailLength = 6;

interface TopologyProps {
  readonly tree: TreeNode;
  /** The uid of the object that is open. */
  readonly uid: string;
  readonly resources: readonly Resource[];
}

/** Draws owners and dependents; for screen readers, a list of lists. */
export function Topology({ tree, uid, resources }: TopologyProps): VNode {
  const frame = useRef<HTMLDivElement | null>(null);
  const width = useWidth(frame);
  const { root, height, lines } = drawingOf(tree, width, uid);
  return (
    <div class="topology" ref={frame} style={{ height: `${height}px` }}>
      <svg width={width} height={height} aria-hidden="true">
        {lines.map((line) => (
          <path key={line} d={line} />
        ))}
      </svg>
      <ul class="tree" aria-label={t.objects.tabs.owners}>
        <Branch node={root} uid={uid} resources={resources} />
      </ul>
    </div>
  );
}

interface BranchProps extends Omit<TopologyProps, 'tree'> {
  readonly node: DrawnNode;
}

function Branch({ node, uid, resources }: BranchProps): VNode {
  const { x, y, width, children, more } = node;
  const { apiVersion = '', kind = '', metadata } = node.object;
  const { name, namespace = '' } = metadata;
  const isSelf = metadata.uid === uid;
  return (
    <li>
      <span class={isSelf ? 'node self' : 'node'} style={{ left: `${x}px`, top: `${y}px`, width: `${width}px` }}>
        <em>{kind}</em>
        {isSelf ? (
          <b title={name}>{name}</b>
        ) : (
          <a title={name} aria-label={name} href={linkTo({ apiVersion, kind, name, namespace }, resources)}>
            <span>{name.slice(0, -tailLength)}</span>
            {name.slice(-tailLength)}
          </a>
        )}
      </span>
      {children.length === 0 ? null : (
        <ul>
          {children.map((child) => (
            <Branch key={child.object.metadata.uid} node={child} uid={uid} resources={resources} />
          ))}
          {more === null ? null : (
            <li class="more" style={{ left: `${more.x}px`, top: `${more.y}px` }}>
              {t.objects.moreOwned(more.count)}
            </li>
          )}
        </ul>
      )}
    </li>
  );
}
