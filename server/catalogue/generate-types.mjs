// Turns the descriptions of types and messages (../shared/api beside the checkout) into the compact files that the codecs read.
//
//   node server/catalogue/generate-types.mjs [FOLDER WITH THE FACTS]
//
// Writes server/catalogue/data/
//   types.json     short type name -> { kinds?: ["GROUP/VERSION/KIND"...], message?: false, leaf?: "TYPE FORMAT", mapType?, unions?,
//                  fields?: "NAME SHAPE[PRESENCE][*];...", more?: { NAME: { default, enum, listType, ... } } }
//   protobuf.json  short message name -> "NUMBER NAME SHAPE[PRESENCE];..." by rising number
//
// SHAPE     string bytes int32 int64 double boolean, or a short type name; `[]` before it means list of, `{}` map to, `...` members stand in the parent
// PRESENCE  what holds while nobody sets the member (presence.json): nothing: absent; `=` zero, not shown in JSON; `!` zero, shown in JSON; `~` shown as null
// *         required
// Short names: core.v1.Pod, meta.v1.Time, resource.Quantity, apiextensions.v1.JSON.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const source = process.argv[2] ?? path.resolve(here, '../../../shared/api');
const read = file => JSON.parse(fs.readFileSync(file, 'utf8'));
const types = read(path.join(source, 'types.json'));
const messages = read(path.join(source, 'protobuf.json'));
const presence = read(path.join(here, 'data/presence.json'));

const shorten = name => name
  .replace(/^(io\.k8s|k8s\.io)\./, '').replace(/^api\./, '').replace(/^(apimachinery|apiextensions[-_]apiserver|kube[-_]aggregator|apiserver|metrics)\.pkg\./, '')
  .replace(/^(apis|api|util)\./, '');

const assertUnique = names => {
  const seen = new Map();
  for (const name of names) {
    if (seen.has(shorten(name))) throw new Error(`${name} and ${seen.get(shorten(name))} have the same short name`);
    seen.set(shorten(name), name);
  }
};
assertUnique(Object.keys(types));
assertUnique(Object.keys(messages));

/** Whether a list of presence.json holds a member, looked up by group.version.Type, version.Type or Type. */
const isListed = (list, owner, member) => {
  const parts = owner.split('.');
  const keys = [owner, parts.slice(-2).join('.'), parts.at(-1)];
  const key = keys.find(name => presence[list][name] !== undefined);
  return key !== undefined && presence[list][key].split(' ').includes(member);
};

const SCALARS = { 'string/': 'string', 'string/byte': 'bytes', 'integer/int32': 'int32', 'integer/int64': 'int64', 'number/double': 'double', 'boolean/': 'boolean' };
const shapeOf = field => {
  if (field.ref !== undefined) return shorten(field.ref);
  if (field.items !== undefined) return `[]${shapeOf(field.items)}`;
  if (field.values !== undefined) return `{}${shapeOf(field.values)}`;
  const scalar = SCALARS[`${field.type}/${field.format ?? ''}`];
  if (scalar === undefined) throw new Error(`unknown shape ${JSON.stringify(field)}`);
  return scalar;
};

const ZEROS = [0, '', false];
const isValueByDefault = (owner, member, shape) => shape === 'string' || isListed('values', owner, member);

/** The mark that tells how a member looks while nobody sets it. */
const presenceOf = (owner, member, field, hasKinds) => {
  const shape = shapeOf(field);
  if (isListed('absent', owner, member)) return '';
  if (isListed('nullables', owner, member)) return '~';
  if (isListed('pointers', owner, member)) return field.required ? '~' : '';
  if (shape.startsWith('[]') || shape.startsWith('{}')) return field.required ? '~' : '';
  if (shape === 'bytes') return field.required ? '~' : '';
  if (field.ref !== undefined) {
    if (isListed('values', owner, member)) return '=';
    return field.required || isListed('structs', owner, member) || (member === 'metadata' && hasKinds) ? '!' : '';
  }
  if (isListed('values', owner, member)) return '=';
  if (ZEROS.includes(field.default)) return '!';
  return field.required || isValueByDefault(owner, member, shape) ? '=' : '';
};

const MORE = ['default', 'enum', 'listType', 'listMapKeys', 'mapType', 'patchStrategy', 'patchMergeKey'];
const typeEntry = (name, type) => {
  const entry = {};
  const owner = shorten(name);
  if (type.gvk !== undefined) entry.kinds = type.gvk.map(kind => kind.join('/'));
  if (type.message === undefined) entry.message = false;
  if (type.mapType !== undefined) entry.mapType = type.mapType;
  if (type.unions !== undefined) entry.unions = type.unions;
  if (type.fields === undefined) return { ...entry, leaf: [type.type, type.format].filter(Boolean).join(' ') };
  entry.fields = Object.entries(type.fields)
    .map(([member, field]) => `${member} ${shapeOf(field)}${presenceOf(owner, member, field, type.gvk !== undefined)}${field.required ? '*' : ''}`).join(';');
  const more = {};
  for (const [member, field] of Object.entries(type.fields)) {
    const facts = Object.fromEntries(MORE.filter(key => field[key] !== undefined).map(key => [key, field[key]]));
    if (Object.keys(facts).length > 0) more[member] = facts;
  }
  return Object.keys(more).length > 0 ? { ...entry, more } : entry;
};

const typeByMessage = new Map(Object.values(types).filter(type => type.message !== undefined).map(type => [type.message, type]));
const lastPart = name => name.split('.').at(-1);

// Versions that are no longer served are described less well: what is known of a field of the same name in another version holds for them as well.
const known = new Map();
for (const [name, fields] of Object.entries(messages)) {
  for (const field of fields) {
    const key = `${lastPart(name)}.${field.name}`;
    const described = typeByMessage.get(name)?.fields?.[field.json ?? field.name];
    const other = known.get(key) ?? {};
    known.set(key, { inline: other.inline ?? field.inline, json: other.json ?? field.json, described: other.described ?? described });
  }
}
const completed = (name, field) => {
  const { inline, json } = known.get(`${lastPart(name)}.${field.name}`);
  return { ...field, ...(inline ? { inline } : {}), ...(json === undefined ? {} : { json }) };
};

/** Messages that stand in the JSON object of their parent are described by the parent's type. */
const parents = new Map();
for (const [name, fields] of Object.entries(messages)) {
  for (const field of fields.map(each => completed(name, each))) if (field.inline && typeByMessage.has(name) && !parents.has(field.type)) parents.set(field.type, typeByMessage.get(name));
}

const messagePresence = (name, field) => {
  const member = field.json ?? field.name;
  const owner = shorten(name);
  if (field.inline) return '!';
  const described = (typeByMessage.get(name) ?? parents.get(name))?.fields?.[member];
  if (described !== undefined) return presenceOf(owner, member, described, typeByMessage.get(name)?.gvk !== undefined);
  const other = known.get(`${lastPart(name)}.${field.name}`).described;
  if (other !== undefined && shapeOf(other).startsWith('[]') === Boolean(field.repeated)) return presenceOf(owner, member, other, member === 'metadata').replace('~', '');
  return undescribedPresence(owner, member, field);
};
const undescribedPresence = (owner, member, field) => {
  if (isListed('pointers', owner, member) || field.repeated || field.map !== undefined || field.type === 'bytes') return '';
  if (field.type.includes('.')) return isListed('structs', owner, member) || member === 'metadata' ? '!' : '';
  return field.type === 'string' || isListed('values', owner, member) ? '=' : '';
};
const MESSAGE_SCALARS = { bool: 'boolean' };
const messageShape = type => MESSAGE_SCALARS[type] ?? (type.includes('.') ? shorten(type) : type);
const messageField = (name, field) => {
  const shape = field.map !== undefined ? `{}${messageShape(field.map[1])}` : `${field.repeated ? '[]' : field.inline ? '...' : ''}${messageShape(field.type)}`;
  return `${field.number} ${field.json ?? field.name} ${shape}${messagePresence(name, field)}`;
};
const messageEntry = (name, fields) => [...fields].sort((a, b) => a.number - b.number).map(field => messageField(name, completed(name, field))).join(';');

const write = (name, entries) => fs.writeFileSync(path.join(here, 'data', `${name}.json`),
  `{\n${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',\n')}\n}\n`);
write('types', Object.entries(types).map(([name, type]) => [shorten(name), typeEntry(name, type)]));
write('protobuf', Object.entries(messages).map(([name, fields]) => [shorten(name), messageEntry(name, fields)]));
