import type { LimitRange } from '../../../api/types/core/v1.js';
import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { ensureObject, objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import { duplicate, forbidden, invalid, Path, required, type FieldError } from '../../registry/validation/field.js';
import { qualifiedNameProblems } from '../../registry/validation/names.js';
import { compareAmounts } from '../../registry/validation/quantities.js';
import { milliValue, roundAmounts } from '../../../api/resourceLists.js';
import { validateContainerResourceName, validateResourceName } from '../../registry/validation/resourcenames.js';
import { isOvercommitAllowed } from '../../../api/resourceNames.js';
import type { Draft, Kind } from '../kind.js';
import { specOf } from '../parts.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';
import { type Steps } from '../../../api/steps.js';

const types: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
/** Maps of amounts by resource. */
const amounts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];
const limits = Path.of('spec', 'limits');

/** Default limits come from the maximum, default requests from limits, then the minimum. */
function* setItemDefaults(item: JsonObject): Steps<void> {
  for (const member of amounts) {
    roundAmounts(objectAt(item, member));
    yield;
  }
  if (item.type !== 'Container') return;
  const [limits, requests] = [ensureObject(item, 'default'), ensureObject(item, 'defaultRequest')];
  const fill = (target: JsonObject, source: JsonObject): void => {
    for (const [name, amount] of Object.entries(source)) if (!Object.hasOwn(target, name)) target[name] = amount;
  };
  fill(limits, objectAt(item, 'max') ?? {});
  yield;
  fill(requests, limits);
  yield;
  fill(requests, objectAt(item, 'min') ?? {});
  for (const member of ['default', 'defaultRequest']) if (Object.keys(objectAt(item, member) ?? {}).length === 0) delete item[member];
}

function validate(range: Draft<LimitRange>): Found {
  const types = new Set<string>();
  return ofEach(objectsIn(specOf(range), 'limits'), (item, position) => {
    const path = limits.index(position);
    const type = textAt(item, 'type');
    const repeated = types.has(type);
    types.add(type);
    return inOrder(
      validateType(type, path.child('type')),
      repeated ? [duplicate(path.child('type'), type)] : [],
      validateItem(item, type, path),
    );
  });
}

function validateType(type: string, path: Path): FieldError[] {
  const malformed = qualifiedNameProblems(type).map((text) => invalid(path, type, text));
  return malformed.length > 0 || type.includes('/') || types.has(type)
    ? malformed
    : [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

function validateItem(item: JsonObject, type: string, path: Path): Found {
  const nameRule = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName;
  const amounts = (member: string): JsonObject => objectAt(item, member) ?? {};
  const names = (member: string): Found => ofEach(Object.keys(amounts(member)), (name) => nameRule(name, path.child(member).key(name)));
  const refused = (member: string): FieldError[] =>
    Object.keys(amounts(member)).length > 0 ? [forbidden(path.child(member), "may not be specified when `type` is 'Pod'")] : [];
  const ofPod = type === 'Pod';
  const compared = ['max', 'min', ...(ofPod ? [] : ['default', 'defaultRequest']), 'maxLimitRequestRatio'];
  const resources = [...new Set(compared.flatMap((member) => Object.keys(amounts(member))))];
  return inOrder(
    names('max'),
    names('min'),
    ofEach(['default', 'defaultRequest'], (member) => (ofPod ? refused(member) : names(member))),
    type === 'PersistentVolumeClaim' && !Object.hasOwn(amounts('min'), 'storage') && !Object.hasOwn(amounts('max'), 'storage')
      ? [required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided')]
      : [],
    names('maxLimitRequestRatio'),
    ofEach(resources, (name) => validateAmounts(name, Object.fromEntries(compared.map((member) => [member, amounts(member)[name]])), path)),
  );
}

interface Rule {
  readonly low: string;
  readonly high: string;
  readonly at: string;
  readonly shown: string;
  readonly text: (low: string, high: string) => string;
}
const ordered: readonly Rule[] = [
  { low: 'min', high: 'max', at: 'min', shown: 'min', text: (low, high) => `min value ${low} is greater than max value ${high}` },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: (low, high) => `min value ${low} is greater than default request value ${high}`,
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: (low, high) => `default request value ${low} is greater than max value ${high}`,
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: (low, high) => `default request value ${low} is greater than default limit value ${high}`,
  },
  {
    low: 'min',
    high: 'default',
    at: 'default',
    shown: 'min',
    text: (low, high) => `min value ${low} is greater than default value ${high}`,
  },
  {
    low: 'default',
    high: 'max',
    at: 'default',
    shown: 'max',
    text: (low, high) => `default value ${low} is greater than max value ${high}`,
  },
];

function validateAmounts(name: string, amounts: Readonly<Record<string, JsonValue | undefined>>, path: Path): FieldError[] {
  const present = (...members: readonly string[]): boolean =>
    members.every((member) => amounts[member] !== undefined && amounts[member] !== null);
  const unequal =
    !isOvercommitAllowed(name) && present('default', 'defaultRequest') && compareAmounts(amounts.default, amounts.defaultRequest) !== 0;
  return [
    ...ordered
      .filter(({ low, high }) => present(low, high) && compareAmounts(amounts[low], amounts[high]) > 0)
      .map(({ low, high, at, shown, text }) =>
        invalid(path.child(at).key(name), amounts[shown], text(String(amounts[low]), String(amounts[high]))),
      ),
    ...(present('maxLimitRequestRatio') ? validateRatio(name, amounts, present('min', 'max'), path) : []),
    ...(unequal
      ? [
          invalid(
            path.child('defaultRequest').key(name),
            amounts.defaultRequest,
            `default value ${String(amounts.default)} must equal to defaultRequest value ${String(amounts.defaultRequest)} in ${name}`,
          ),
        ]
      : []),
  ];
}

/** Refuses a ratio below one, or above that of maximum and minimum. */
function validateRatio(name: string, amounts: Readonly<Record<string, JsonValue | undefined>>, bounded: boolean, path: Path): FieldError[] {
  const ratio = amounts.maxLimitRequestRatio;
  const at = path.child('maxLimitRequestRatio').key(name);
  const possible = Number(milliValue(amounts.max)) / Number(milliValue(amounts.min));
  return [
    ...(compareAmounts(ratio, '1') < 0 ? [invalid(at, ratio, `ratio ${String(ratio)} is less than 1`)] : []),
    ...(bounded && Number(milliValue(ratio)) / 1000 > possible
      ? [invalid(at, ratio, `ratio ${String(ratio)} is greater than max/min = ${possible.toFixed(6)}`)]
      : []),
  ];
}

export const limitRanges: Kind<Draft<LimitRange>> = {
  name: 'limitranges',
  *defaults(range) {
    for (const item of objectsIn(specOf(range), 'limits')) yield* setItemDefaults(item);
  },
  validate,
  create: {
    // An item needs no name.
    prepare(range) {
      if ((range.metadata.name ?? '') === '' && (range.metadata.generateName ?? '') === '') range.metadata.name = randomUUID();
    },
  },
  update: { creates: true, review: ['objectMeta', validate] },
};
