/** Initial words that are lower case in JSON and upper case in Go. */
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

/** Returns the member's Go field for errors of generated code. Type and member suffice except for rare capitals. */
export const goFieldName = (member: string, message: string): string => {
  if (member === 'metadata') return message.endsWith('List') ? 'ListMeta' : 'ObjectMeta';
  const first = /^[a-z]+/.exec(member)?.[0] ?? '';
  const isPlural = first.endsWith('s') && initials.has(first.slice(0, -1));
  if (initials.has(first)) return first.toUpperCase() + member.slice(first.length);
  return isPlural
    ? `${first.slice(0, -1).toUpperCase()}s${member.slice(first.length)}`
    : member.slice(0, 1).toUpperCase() + member.slice(1);
};
