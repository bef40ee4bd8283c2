import type { Family } from '../addresses/cidr.js';
import type { ControllerManagerOptions } from '../options/flags.js';

export function maskOf(family: Family, families: number, options: ControllerManagerOptions): number {
  const single = options['node-cidr-mask-size'];
  const own = family === 4 ? options['node-cidr-mask-size-ipv4'] : options['node-cidr-mask-size-ipv6'];
  return families === 1 && single !== null ? single : own;
}
