import type { Flag } from '../../program/flags/flag.js';
import { cloudTree, durationText, isConstant, isDerived, managerTree, type ComponentTree } from '../options/componentTree.js';
import { controllerManagerFlags, type ControllerManagerOptions } from '../options/flags.js';
import type { LeaderMigration } from '../options/migration.js';
import type { Page } from './server.js';

export interface InEffect {
  readonly migration?: LeaderMigration | null;
  readonly hasCloud?: boolean;
}

export function configz(options: ControllerManagerOptions, { migration = null, hasCloud = false }: InEffect = {}): Page {
  const valueOf = (name: keyof ControllerManagerOptions): unknown => {
    const value = options[name];
    const { kind } = (controllerManagerFlags as Readonly<Record<string, Flag>>)[name] ?? { kind: 'string' };
    return kind === 'duration' ? durationText(Number(value)) : (value ?? (kind === 'int' ? 0 : ''));
  };
  const shown = (node: ComponentTree[string]): unknown => {
    if (typeof node === 'string') return valueOf(node);
    if (isDerived(node)) return node.of(options, migration);
    return isConstant(node) ? node.is : build(node);
  };
  const build = (tree: ComponentTree): unknown => Object.fromEntries(Object.entries(tree).map(([member, node]) => [member, shown(node)]));
  const body = {
    'kubecontrollermanager.config.k8s.io': build(managerTree),
    ...(hasCloud ? { 'cloudcontrollermanager.config.k8s.io': build(cloudTree) } : {}),
  };
  return { status: 200, type: 'application/json', body: JSON.stringify(body) };
}
