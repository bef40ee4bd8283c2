import type { Node, Taint, Toleration } from '../../api/types/core/v1.js';
import { tolerates } from '../workloads/toleration.js';

/** How long a pod bears what its node is tainted with. Pure. */

export const drivingTaints = (node: Node | undefined): readonly Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** Milliseconds: 0 where some taint is not borne at all, Infinity where all are for ever; null where there is no taint. */
export function toleratedMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number | null {
  if (taints.length === 0) return null;
  return Math.min(
    ...taints.map((taint) => {
      // Of several that bear a taint the first counts.
      const toleration = tolerations.find((each) => tolerates(each, taint));
      if (!toleration) return 0;
      return toleration.tolerationSeconds === undefined ? Infinity : Math.max(0, toleration.tolerationSeconds * 1000);
    }),
  );
}
