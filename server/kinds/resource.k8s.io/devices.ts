import * as enums from '../../../api/data/enums.js';
import {
  all,
  andThen,
  distinct,
  driverName,
  each,
  forbidden,
  format,
  insteadOfZero,
  invalid,
  itemsOf,
  knowing,
  labelValueProblems,
  maxBytes,
  members,
  nonZero,
  oneOf,
  orEmpty,
  qualified,
  required,
  requiredPointer,
  tooLong,
  withFactsOf,
  type FieldError,
  type Found,
  type JsonValue,
  type Path,
  type Writable,
} from '../language.js';
import { writeJson } from '../../../workers/codecs/jsonWriter.js';
import type * as v1 from '../../../api/types/resource/v1.js';
import { refusedSelector } from '../../../cel/check/device.js';
import { list } from './lists.js';

const selectorsMax = 32;
export const configurationsMax = 32;
const expressionBytesMax = 10 * 1024;
const parametersBytesMax = 10 * 1024;
const bindingConditionsMax = 4;
const effect = oneOf(...enums.DeviceTaintEffect);
const labelValue = format(labelValueProblems);

const cel = members<v1.CELDeviceSelector>({ expression: orEmpty(andThen(maxBytes(expressionBytesMax), cheap)) });
export const selectors = list(selectorsMax, members<v1.DeviceSelector>({ cel: requiredPointer(cel) }));

function cheap(expression: string, path: Path): FieldError[] {
  const refused = refusedSelector(expression);
  if (refused === null) return [];
  return refused.reason === 'costly' ? [forbidden(path, 'too complex, exceeds cost limit')] : [invalid(path, expression, refused.text)];
}

type Configuration = Pick<v1.DeviceClaimConfiguration, 'opaque'>;
type Parameters = Writable<v1.OpaqueDeviceConfiguration['parameters']>;

const short = (value: Parameters, path: Path): FieldError[] =>
  Buffer.byteLength(writeJson(value)) > parametersBytesMax ? [tooLong(path, parametersBytesMax)] : [];
const jsonObject = (value: JsonValue, path: Path): FieldError[] =>
  typeof value === 'object' && !Array.isArray(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
export const parameters = requiredPointer(andThen(short, jsonObject));

/** Only the driver interprets configuration. A `stored` one may be larger than a new one. */
export const configuration = members<Configuration>({
  opaque: requiredPointer(members<v1.OpaqueDeviceConfiguration>({ driver: orEmpty(driverName), parameters })),
});
export const storedConfiguration = members<Configuration>({
  opaque: requiredPointer(members<v1.OpaqueDeviceConfiguration>({ driver: orEmpty(driverName), parameters: requiredPointer(jsonObject) })),
});

export const tolerations = each(
  members<v1.DeviceToleration>({
    key: nonZero(qualified),
    operator: insteadOfZero('Equal', oneOf(...enums.DeviceTolerationOperator)),
    value: nonZero(comparedValue),
    effect: nonZero(effect),
  }),
);

function comparedValue(value: string, path: Path, { operator }: Writable<v1.DeviceToleration>): Found {
  if (operator === 'Exists') return [invalid(path, value, 'must be empty for operator `Exists`')];
  return operator === 'Equal' ? labelValue(value, path) : [];
}

export const taint = members<v1.DeviceTaint>({ key: orEmpty(qualified), value: nonZero(labelValue), effect: required(effect) });

type Bindings = Pick<v1.Device, 'bindingConditions' | 'bindingFailureConditions'>;

const conditions = list(bindingConditionsMax, qualified);

const conditionsOf = ({ bindingConditions }: Writable<Bindings>): ReadonlySet<string> => new Set(bindingConditions);
const otherThan = distinct<string, unknown, ReadonlySet<string>>(null, (once) =>
  all(
    once,
    knowing((condition, at, wanted) =>
      wanted.has(condition) ? [invalid(at, condition, 'bindingFailureConditions must not overlap with bindingConditions')] : [],
    ),
  ),
);

/** Both lists are set, or neither. */
export const bindingConditions = all(
  members<Bindings>({ bindingConditions: conditions, bindingFailureConditions: conditions }),
  members<Bindings>({ bindingConditions: distinct(null), bindingFailureConditions: withFactsOf(conditionsOf, otherThan) }),
  bothLists,
);

function bothLists(holder: Writable<Bindings> | null | undefined, path: Path): FieldError[] {
  const lists = ['bindingConditions', 'bindingFailureConditions'] as const;
  const [missing, ...others] = lists.filter((name) => itemsOf(holder?.[name]).length === 0);
  if (missing === undefined || others.length > 0) return [];
  const given = lists.find((name) => name !== missing);
  return [invalid(path.child(missing), null, `${missing} are required to use ${given}`)];
}
