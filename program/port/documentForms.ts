import { StatusError } from '../../api/status.js';
import { writeJson as jsonOf } from '../../workers/codecs/jsonWriter.js';
import { protobufEncode, protobufMediaType } from '../../workers/codecs/protobuf/index.js';
import { writeYaml } from '../../workers/codecs/yamlWriter.js';
import { laidOut } from './layout.js';

export interface DocumentForm {
  readonly mediaType: string;
  document(value: object): Buffer;
}
export type DocumentForms = readonly [DocumentForm, ...DocumentForm[]];

export const jsonForm: DocumentForm = {
  mediaType: 'application/json',
  document: (value) => Buffer.from(`${jsonOf(value)}\n`),
};

export const prettyJsonForm: DocumentForm = {
  mediaType: jsonForm.mediaType,
  document: (value) => Buffer.concat([...laidOut([jsonForm.document(value)])]),
};

export const yamlForm: DocumentForm = {
  mediaType: 'application/yaml',
  document: (value) => Buffer.from(writeYaml(value)),
};

export const protobufForm: DocumentForm = {
  mediaType: protobufMediaType,
  document: (value) => {
    const result = protobufEncode(value);
    if (result.ok) return result.bytes;
    throw new StatusError(406, 'NotAcceptable', `the object has no Protobuf form: ${result.message}`);
  },
};

/** Sorted by preference, for a client that takes anything. */
export const allForms: DocumentForms = [jsonForm, yamlForm, protobufForm];
