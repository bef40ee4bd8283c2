import { isObject } from '../../../api/json/json.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import type { Step } from '../../golden/recordings.js';
import type { Area } from '../area.js';
import type { Random } from '../random.js';
import { ignoredOf, sampledResources } from '../samples.js';

/** Bodies with unknown, repeated and misspelt members, in JSON, YAML and patches. */
export const fields: Area = {
  name: 'fields',
  about: 'field validation: unknown, repeated and differently spelt members in JSON, YAML and patches, by Strict, Warn and Ignore',
  generate(random) {
    const { resource, path, objects } = random.pick(sampledResources().filter(({ resource }) => resource.verbs.has('patch')));
    const object = random.pick(objects);
    const at = `${path}/${String((object['metadata'] as JsonObject)['name'])}`;
    const option = (): string =>
      random.pick(['fieldValidation=Strict', 'fieldValidation=Warn', 'fieldValidation=Ignore', 'fieldValidation=x', '']);
    const writes = (): Step => {
      const spoilt = oddText(object, random);
      const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
      return random.pick<Step>([
        { do: `POST ${path}?dryRun=All&${option()}`, raw: spoilt },
        { do: `POST ${path}?dryRun=All&${option()}`, raw: spoilt, type: 'application/yaml' },
        { do: `PUT ${at}?dryRun=All&${option()}`, raw: spoilt },
        { do: `PUT ${at}?dryRun=All&${option()}`, raw: spoilt, type: 'application/yaml' },
        { do: `PATCH ${at}?dryRun=All&${option()}`, raw: oddText(content, random), type: 'application/merge-patch+json' },
        { do: `PATCH ${at}?dryRun=All&${option()}`, raw: oddText(content, random), type: 'application/strategic-merge-patch+json' },
        { do: `PATCH ${at}?dryRun=All&fieldManager=m&force=true&${option()}`, raw: spoilt, type: 'application/apply-patch+yaml' },
        { do: `PATCH ${at}?dryRun=All&${option()}`, raw: jsonPatch(random), type: 'application/json-patch+json' },
      ]);
    };
    const written = (): Step => ({ ...writes(), ignore: ignoredOf(resource) });
    return { steps: [{ do: `POST ${path}`, body: object }, ...(resource.verbs.has('create') ? random.upTo(4, written) : [])] };
  },
};

/** Operations of a patch, known and unknown, with unknown members. */
const jsonPatch = (random: Random): string =>
  `[${random
    .upTo(2, () =>
      random.pick([
        '{"op":"add","path":"/metadata/labels","value":{"a":"b"}}',
        '{"op":"add","path":"/unknown","value":1}',
        '{"op":"add","path":"/metadata/unknown","value":{"a":1}}',
        '{"op":"add","op":"add","path":"/unknown","value":1}',
        '{"op":"test","path":"/kind","value":"x","unknown":1}',
        '{"op":"x","path":"/unknown"}',
      ]),
    )
    .join(',')}]`;

/** Damages one to three places of an object as text. */
function oddText(object: JsonObject, random: Random): string {
  const places = countMembers(object);
  const spoilt = new Set(random.upTo(3, () => random.below(places)));
  let place = 0;
  const write = (value: JsonValue | undefined): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (!isObject<JsonObject>(value)) return JSON.stringify(value ?? null);
    const members = Object.entries(value).flatMap(([name, member]) => {
      const isSpoilt = spoilt.has(place++);
      const text = `${JSON.stringify(name)}:${write(member)}`;
      return isSpoilt ? oddMember(name, text, random) : [text];
    });
    return `{${members.join(',')}}`;
  };
  return write(object);
}

function oddMember(name: string, text: string, random: Random): string[] {
  const cased = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return random.pick([
    [text, '"unknown":1'],
    [text, '"unknown":{"a":{"b":1}}'],
    ...(text.includes('{')
      ? []
      : [
          [text, text],
          [text, text, text],
        ]),
    [text.replace(JSON.stringify(name), JSON.stringify(cased))],
    [text, text.replace(JSON.stringify(name), JSON.stringify(cased))],
  ]);
}

const countMembers = (value: JsonValue | undefined): number => {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMembers(item), 0);
  return isObject<JsonObject>(value) ? Object.values(value).reduce<number>((sum, member) => sum + 1 + countMembers(member), 0) : 0;
};
