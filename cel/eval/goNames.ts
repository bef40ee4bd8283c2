import { typeNameOf, type Value } from './values.js';

const names: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  int: 'types.Int',
  list: '*types.baseList',
  map: '*types.baseMap',
  null_type: 'types.Null',
  string: 'types.String',
  uint: 'types.Uint',
  type: '*types.Type',
  optional_type: '*types.Optional',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  'kubernetes.NamedFormat': 'cel.Format',
};

/** Returns a value's Go type in cel-go, as in its messages. */
export function goNameOf(value: Value): string {
  const name = typeNameOf(value);
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? name.replace(/^(?:net|kubernetes)\./, 'cel.');
}
