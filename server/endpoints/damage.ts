import { internalError, StatusError, type StatusCause } from '../../api/status.js';
import { qualifiedName, type GroupResource } from '../../api/resource.js';
import { DamagedListError, damagedListedMax, DamagedValueError } from '../storage/encoding.js';

export interface DamageReport {
  readonly resource: GroupResource;
  /** Clients may remove unreadable objects, so they receive the list. */
  readonly forcesDeletion: boolean;
}

/** Turns storage errors about unreadable objects into the reference's answers (`corrupt_obj_deleter.go`); returns others unchanged. */
export function reportDamage(error: unknown, { resource, forcesDeletion }: DamageReport): unknown {
  if (error instanceof DamagedValueError) return internal(error, forcesDeletion ? corruptObject(error) : reasonOf(error));
  if (!(error instanceof DamagedListError)) return error;
  return forcesDeletion ? unreadableList(error, resource) : internal(error, listReasonOf(error));
}

const internal = (cause: Error, message: string): StatusError => internalError(new Error(message, { cause }));

const keyOf = ({ key: { resource, namespace, name } }: DamagedValueError): string =>
  ['', resource.resource, ...(namespace === '' ? [] : [namespace]), name].join('/');

/** Names the object, unlike the reason of a failed decryption. */
const reasonOf = (damage: DamagedValueError): string => (damage.step === 'transform' ? `${damage.why} (${keyOf(damage)})` : damage.message);

function listReasonOf({ damaged }: DamagedListError): string {
  const first = damaged[0]!;
  return first.step === 'transform' ? `unable to transform key ${JSON.stringify(keyOf(first))}: ${first.why}` : first.message;
}

const failures: Readonly<Record<DamagedValueError['step'], string>> = {
  transform: 'data from the storage is not transformable',
  decode: 'object not decodable',
};

/** The reference knows the revision of decoded objects, but not of decrypted ones. */
const corruptObject = (damage: DamagedValueError): string =>
  `StorageError: corrupt object, Code: 7, Key: ${keyOf(damage)}, ResourceVersion: 0, AdditionalErrorMsg: ` +
  `${failures[damage.step]} revision=${damage.step === 'transform' ? 0 : damage.version}: ${damage.why}`;

function unreadableList(error: DamagedListError, resource: GroupResource): StatusError {
  const causes: StatusCause[] = error.damaged
    .slice(0, damagedListedMax)
    .map((damage) => ({ reason: 'UnexpectedServerResponse', message: corruptObject(damage), field: keyOf(damage) }));
  if (error.damaged.length > damagedListedMax)
    causes.push({ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' });
  return new StatusError(
    500,
    'StorageReadError',
    `failed to read one or more ${qualifiedName(resource)} from the storage`,
    { name: 'list', ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.resource, causes },
    { cause: error },
  );
}
