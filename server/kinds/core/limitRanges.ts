import type * as v1 from '../../../api/types/core/v1.js';
import { randomUUID } from 'node:crypto';
import {
  all,
  andThen,
  compareAmounts,
  distinct,
  forbidden,
  format,
  ifOwner,
  invalid,
  isSet,
  members,
  missing,
  objectRules,
  objectsIn,
  ofEach,
  orEmpty,
  qualifiedNameProblems,
  specOf,
  validateContainerResourceName,
  validateResourceName,
  type Check,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Path,
  type Rule,
  type Steps,
  type Writable,
} from '../language.js';
import { milliValue, roundAmounts } from '../../../api/resourceLists.js';
import { isOvercommitAllowed } from '../../../api/resourceNames.js';

type Item = Writable<v1.LimitRangeItem>;
type Amounts = Item['max'];
/** Maps of amounts by resource. */
const maps = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type MapName = (typeof maps)[number];
type OfResource = Readonly<Partial<Record<MapName, string | undefined>>>;

/** Default limits come from the maximum, default requests from limits, then the minimum. */
function* setItemDefaults(item: Item): Steps<void> {
  for (const member of maps) {
    roundAmounts(item[member] ?? null);
    yield;
  }
  if (item.type !== 'Container') return;
  const [limits, requests] = [(item.default ??= {}), (item.defaultRequest ??= {})];
  const fill = (target: NonNullable<Amounts>, source: Amounts = {}): void => {
    for (const [name, amount] of Object.entries(source)) if (!Object.hasOwn(target, name)) target[name] = amount;
  };
  fill(limits, item.max);
  yield;
  fill(requests, limits);
  yield;
  fill(requests, item.min);
  for (const member of ['default', 'defaultRequest'] as const) if (Object.keys(item[member] ?? {}).length === 0) delete item[member];
}

const isOfPods = ({ type }: Item): boolean => type === 'Pod';
const isOfContainers = ({ type }: Item): boolean => type === 'Pod' || type === 'Container';

const limitType = andThen(format(qualifiedNameProblems), (type: string, path) =>
  type.includes('/') || ['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)
    ? []
    : [invalid(path, type, 'must be a standard limit type or fully qualified')],
);

const namesBy =
  (rule: Check<string>): Rule<Amounts> =>
  (amounts = {}, path) =>
    ofEach(Object.keys(amounts), (name) => rule(name, path.key(name)));
const names = ifOwner(isOfContainers, namesBy(validateContainerResourceName), namesBy(validateResourceName));
const notOfPods: Rule<Amounts, Item> = ifOwner(
  isOfPods,
  (amounts = {}, path) => (Object.keys(amounts).length > 0 ? [forbidden(path, "may not be specified when `type` is 'Pod'")] : []),
  names,
);

const someStorage = ({ type, min = {}, max = {} }: Item, path: Path): FieldError[] =>
  type === 'PersistentVolumeClaim' && !Object.hasOwn(min, 'storage') && !Object.hasOwn(max, 'storage')
    ? [missing(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided')]
    : [];

function validateAmounts(item: Item, path: Path): Found {
  const compared = maps.filter((member) => !isOfPods(item) || !member.startsWith('default'));
  const resources = new Set(compared.flatMap((member) => Object.keys(item[member] ?? {})));
  return ofEach([...resources], (name) =>
    validateResource(name, Object.fromEntries(compared.map((member) => [member, item[member]?.[name]])), path),
  );
}

const itsType = members<v1.LimitRangeItem>({ type: orEmpty(limitType) });
const amounts = all<Item>(
  members<v1.LimitRangeItem>({ max: names, min: names, default: notOfPods, defaultRequest: notOfPods }),
  someStorage,
  members<v1.LimitRangeItem>({ maxLimitRequestRatio: names }),
  validateAmounts,
);

const validate = objectRules<v1.LimitRange>({
  spec: members<v1.LimitRangeSpec>({
    limits: distinct<Item>('type', (once) => all(itsType, once, amounts)),
  }),
});
interface Order {
  readonly low: MapName;
  readonly high: MapName;
  readonly at: MapName;
  readonly shown?: MapName;
  readonly said: readonly [low: string, high: string];
}
const ordered: readonly Order[] = [
  { low: 'min', high: 'max', at: 'min', said: ['min', 'max'] },
  { low: 'min', high: 'defaultRequest', at: 'defaultRequest', said: ['min', 'default request'] },
  { low: 'defaultRequest', high: 'max', at: 'defaultRequest', said: ['default request', 'max'] },
  { low: 'defaultRequest', high: 'default', at: 'defaultRequest', said: ['default request', 'default limit'] },
  { low: 'min', high: 'default', at: 'default', shown: 'min', said: ['min', 'default'] },
  { low: 'default', high: 'max', at: 'default', shown: 'max', said: ['default', 'max'] },
];

function validateResource(name: string, amounts: OfResource, path: Path): FieldError[] {
  const present = (...members: readonly MapName[]): boolean => members.every((member) => isSet(amounts[member]));
  const unequal =
    !isOvercommitAllowed(name) && present('default', 'defaultRequest') && compareAmounts(amounts.default, amounts.defaultRequest) !== 0;
  return [
    ...ordered
      .filter(({ low, high }) => present(low, high) && compareAmounts(amounts[low], amounts[high]) > 0)
      .map(({ low, high, at, shown = at, said }) =>
        invalid(
          path.child(at).key(name),
          amounts[shown],
          `${said[0]} value ${amounts[low]} is greater than ${said[1]} value ${amounts[high]}`,
        ),
      ),
    ...(present('maxLimitRequestRatio') ? validateRatio(name, amounts, present('min', 'max'), path) : []),
    ...(unequal
      ? [
          invalid(
            path.child('defaultRequest').key(name),
            amounts.defaultRequest,
            `default value ${amounts.default} must equal to defaultRequest value ${amounts.defaultRequest} in ${name}`,
          ),
        ]
      : []),
  ];
}

function validateRatio(name: string, amounts: OfResource, bounded: boolean, path: Path): FieldError[] {
  const ratio = amounts.maxLimitRequestRatio;
  const at = path.child('maxLimitRequestRatio').key(name);
  const possible = Number(milliValue(amounts.max)) / Number(milliValue(amounts.min));
  return [
    ...(compareAmounts(ratio, '1') < 0 ? [invalid(at, ratio, `ratio ${ratio} is less than 1`)] : []),
    ...(bounded && Number(milliValue(ratio)) / 1000 > possible
      ? [invalid(at, ratio, `ratio ${ratio} is greater than max/min = ${possible.toFixed(6)}`)]
      : []),
  ];
}

export const limitRanges: Kind<Draft<v1.LimitRange>> = {
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
