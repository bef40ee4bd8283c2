/** Words that begin a member of JSON in lower case and a field of Go in capitals. */
const initials: ReadonlySet<string> = new Set([
  'api',
  'ca',
  'cidr',
  'csi',
  'dns',
  'fc',
  'fs',
  'fsgroup',
  'gid',
  'gmsa',
  'http',
  'iqn',
  'ip',
  'iscsi',
  'lun',
  'nfs',
  'os',
  'pid',
  'rbd',
  'tcp',
  'tls',
  'ttl',
  'uid',
  'url',
  'uuid',
]);

/** The field of the Go type behind a member, as errors of its generated code name it. Type and member are enough but for rare capitals. */
export const goFieldName = (member: string, message: string): string => {
  if (member === 'metadata') return message.endsWith('List') ? 'ListMeta' : 'ObjectMeta';
  const first = /^[a-z]+/.exec(member)?.[0] ?? '';
  const isPlural = first.endsWith('s') && initials.has(first.slice(0, -1));
  if (initials.has(first)) return first.toUpperCase() + member.slice(first.length);
  return isPlural
    ? `${first.slice(0, -1).toUpperCase()}s${member.slice(first.length)}`
    : member.slice(0, 1).toUpperCase() + member.slice(1);
};
