// Turns the facts of the API surface (../shared/api beside the checkout) into the compact data files that the server reads.
//
//   node server/catalogue/generate.mjs [FOLDER WITH THE FACTS]
//
// Writes server/catalogue/data/
//   resources.json   groups in discovery order: [{ name, versions: [{ version, servedByDefault, resources: [R...] }] }], versions by preference,
//                    R = [resource, kind, singular, namespaced, verbs, shortNames, categories, subresources],
//                    subresources = [[name, kind, verbs, group?, version?]...] with group and version only where its body belongs to another one
//   tables.json      "GROUPVERSION RESOURCE" -> [[column, type, format, priority]...]
//   kinds.json       group version -> kinds that exist there, served or not: decides which of several decoding errors a client sees
//   bootstrap.json   resource -> objects of an empty cluster which the API server itself creates
// One entry a line, so that a new release of the facts shows up as a readable difference.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const source = process.argv[2] ?? path.resolve(here, '../../../shared/api');
const read = name => JSON.parse(fs.readFileSync(path.join(source, `${name}.json`), 'utf8'));
const lines = entries => entries.map(entry => JSON.stringify(entry)).join(',\n');
const write = (name, text) => fs.writeFileSync(path.join(here, 'data', `${name}.json`), `${text}\n`);
const writeMap = (name, map) => write(name, `{\n${Object.keys(map).sort().map(key => `${JSON.stringify(key)}: ${JSON.stringify(map[key])}`).join(',\n')}\n}`);

const facts = read('resources');
const objects = read('bootstrap-objects');
const split = groupVersion => (groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion]);

/** Verbs by first letter, in the order of discovery documents. */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const verbsOf = entry => VERBS.filter(verb => entry.verbs.includes(verb)).join(',');

// Groups are listed by falling priority of their API services, then by name; groups without a service come last.
// The group of the API services themselves always leads.
const priority = new Map([['', Infinity], ['apiregistration.k8s.io', Number.MAX_SAFE_INTEGER]]);
for (const { spec } of objects.apiservices) priority.set(spec.group ?? '', Math.max(priority.get(spec.group ?? '') ?? 0, spec.groupPriorityMinimum));
const versionRank = version => {
  const [, major, stage = 'ga', minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  return [{ ga: 2, beta: 1, alpha: 0 }[stage], Number(major), Number(minor)];
};
const byRank = (a, b) => { const x = versionRank(a), y = versionRank(b); return y[0] - x[0] || y[1] - x[1] || y[2] - x[2]; };

function resourceEntry(entry, [group, version], all) {
  const subresources = all.filter(other => other.name.startsWith(`${entry.name}/`)).map(other => {
    const body = [other.group ?? group, other.version ?? version];
    const own = body[0] === group && body[1] === version;
    return [other.name.slice(entry.name.length + 1), other.kind, verbsOf(other), ...(own ? [] : body)];
  });
  return [entry.name, entry.kind, entry.singularName, entry.namespaced, verbsOf(entry), entry.shortNames ?? [], entry.categories ?? [], subresources];
}

const groups = new Map();
for (const [groupVersion, { servedByDefault, preferred, resources }] of Object.entries(facts)) {
  const [group, version] = split(groupVersion);
  const entries = resources.filter(entry => !entry.name.includes('/')).map(entry => resourceEntry(entry, [group, version], resources));
  groups.set(group, [...(groups.get(group) ?? []), { version, preferred, servedByDefault, entries }]);
}
const ordered = [...groups].sort(([a], [b]) => (priority.get(b) ?? 0) - (priority.get(a) ?? 0) || (a < b ? -1 : 1));
write('resources', `[\n${ordered.map(([name, versions]) => `{ "name": ${JSON.stringify(name)}, "versions": [\n${versions
  .sort((a, b) => Number(b.preferred) - Number(a.preferred) || byRank(a.version, b.version))
  .map(v => `  { "version": ${JSON.stringify(v.version)}, "servedByDefault": ${v.servedByDefault}, "resources": [\n${lines(v.entries)}] }`).join(',\n')}] }`).join(',\n')}\n]`);

writeMap('tables', Object.fromEntries(Object.entries(read('tables')).map(([key, columns]) => [key, columns.map(c => [c.name, c.type, c.format, c.priority])])));

// Kinds: from the schema where there is one; otherwise every message that carries metadata. Packages are named after the first label of a group.
const kinds = {};
const know = (group, version, kind) => { const key = group === '' ? version : `${group}/${version}`; (kinds[key] ??= new Set()).add(kind); };
const META_OPTIONS = /^(DeleteOptions|WatchEvent)$/;
const groupOfPackage = new Map([['core', '']]);
for (const type of Object.values(read('types'))) {
  for (const [group, version, kind] of type.gvk ?? []) {
    if (META_OPTIONS.test(kind) && group !== '') continue;
    know(group, version, kind);
    if (group !== '') groupOfPackage.set(group.split('.')[0], group);
  }
}
groupOfPackage.set('extensions', 'extensions');
for (const [message, fields] of Object.entries(read('protobuf'))) {
  const [, name, version, kind] = /^k8s\.io\.api\.(\w+)\.(v\w+)\.(\w+)$/.exec(message) ?? [];
  if (name === undefined || !groupOfPackage.has(name)) continue;
  if (fields.some(field => field.name === 'metadata' && /\.(ObjectMeta|ListMeta)$/.test(field.type ?? ''))) know(groupOfPackage.get(name), version, kind);
}
writeMap('kinds', Object.fromEntries(Object.entries(kinds).map(([key, set]) => [key, [...set].sort()])));

// What belongs to one installation (addresses, identities, certificates) or to controllers is left out.
const BOOTSTRAP = ['namespaces', 'services', 'priorityclasses', 'clusterroles', 'clusterrolebindings', 'roles', 'rolebindings', 'flowschemas',
  'prioritylevelconfigurations', 'apiservices'];
writeMap('bootstrap', Object.fromEntries(BOOTSTRAP.map(resource => [resource, objects[resource]])));
