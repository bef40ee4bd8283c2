import type { Node, Taint, Toleration } from '../../api/types/core/v1.js';
import { tolerates } from '../workloads/toleration.js';

export const drivingTaints = (node: Node | undefined): readonly Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/** Returns milliseconds: 0 if a taint is not tolerated, Infinity if all are for ever; null without taints. */
export function toleratedMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number | null {
  if (taints.length === 0) return null;
  return Math.min(
    ...taints.map((taint) => {
      // The first matching toleration counts.
      const toleration = tolerations.find((each) => tolerates(each, taint));
      if (!toleration) return 0;
      return toleration.tolerationSeconds === undefined ? Infinity : Math.max(0, toleration.tolerationSeconds * 1000);
    }),
  );
}
