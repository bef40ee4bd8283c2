import type { ApiObject, JsonObject, JsonValue } from '../../../api/object.js';
import { entryOf, itemsOf, memberAt, membersOf, textAt } from '../../../api/json/members.js';
import { none } from '../cells.js';

/** The column Targets: actual and desired values of each metric. */

const shownMax = 2;
const unknown = '<unknown>';
const auto = '<auto>';

interface Measured {
  readonly current: JsonObject;
}

function amount(target: JsonObject, { current }: Measured, perPod: string): string {
  const member = target['averageValue'] === undefined ? 'value' : 'averageValue';
  const measured = textAt(current, member) || unknown;
  return `${measured}/${textAt(target, member)}${member === 'averageValue' ? perPod : ''}`;
}

function resource(source: JsonObject, { current }: Measured): string {
  const target = membersOf(source['target']);
  const percent = (value: JsonValue | undefined, unset: string): string =>
    value === undefined || value === null ? unset : `${String(value)}%`;
  const shown =
    target['averageValue'] === undefined
      ? `${percent(current['averageUtilization'], unknown)}/${percent(target['averageUtilization'], auto)}`
      : amount(target, { current }, '');
  return `${textAt(source, 'name')}: ${shown}`;
}

const metrics: Readonly<Record<string, readonly [member: string, show: (source: JsonObject, measured: Measured) => string]>> = {
  Resource: ['resource', resource],
  ContainerResource: ['containerResource', resource],
  Pods: ['pods', (source, { current }) => amount(membersOf(source['target']), { current }, '')],
  Object: ['object', (source, { current }) => amount(membersOf(source['target']), { current }, ' (avg)')],
  External: ['external', (source, { current }) => amount(membersOf(source['target']), { current }, ' (avg)')],
};

/** Actual and desired values have the same position in their lists. */
export function targetsCell(autoscaler: ApiObject): string {
  const wanted = itemsOf(memberAt(autoscaler, 'spec', 'metrics')).map(membersOf);
  const measured = itemsOf(memberAt(autoscaler, 'status', 'currentMetrics')).map(membersOf);
  if (wanted.length === 0) return none;
  const shown = wanted.map((metric, position) => {
    const [member, show] = entryOf(metrics, textAt(metric, 'type')) ?? [];
    if (member === undefined || show === undefined) return '<unknown type>';
    return show(membersOf(metric[member]), { current: membersOf(memberAt(measured[position] ?? {}, member, 'current')) });
  });
  const more = shown.length - shownMax;
  return `${shown.slice(0, shownMax).join(', ')}${more > 0 ? ` + ${more} more...` : ''}`;
}
