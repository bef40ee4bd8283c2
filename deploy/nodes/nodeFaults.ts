import type { Node } from '../../api/types/core/v1.js';

/** Node failures requested by annotations of the Node object. Pure. */

const lostAnnotation = 'fake-node/lost';
const pressureAnnotation = 'fake-node/pressure';

export const pressures = ['memory', 'disk', 'pid'] as const;
export type Pressure = (typeof pressures)[number];

/** A lost node renews no lease and reports nothing, and its pods stay as they are. */
export const isLost = (node: Node | undefined): boolean => node?.metadata.annotations?.[lostAnnotation] === 'true';

export function pressuresOf(node: Node | undefined): ReadonlySet<Pressure> {
  const words = (node?.metadata.annotations?.[pressureAnnotation] ?? '').split(/[\s,]+/);
  return new Set(pressures.filter((pressure) => words.includes(pressure)));
}
