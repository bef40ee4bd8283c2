import type { VolumeAttachment } from '../../../api/types/storage/v1.js';
import type { JsonObject, JsonValue } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { membersOf, textAt } from '../../../api/json/members.js';
import type { ChangeRules } from '../../registry/rules.js';
import { driverName } from '../../registry/validation/drivernames.js';
import { forbidden, invalid, Path, required, tooLong, type FieldError } from '../../registry/validation/field.js';
import { printedStructure, type StructureForm } from '../../registry/validation/internalform.js';
import { between, dnsSubdomain } from '../../registry/validation/values.js';
import { at, booleanAt } from '../cells.js';
import { volumeForm } from '../core/persistentVolume/printed.js';
import { validateInlineVolumeSpec } from '../core/persistentVolume/spec.js';
import { setSourceDefaults } from '../../../api/pods/volumeDefaults.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';
import { specOf, statusOf } from '../parts.js';

const specPath = Path.of('spec');
const statusPath = Path.of('status');
const metadataBytesMax = 256 * 1024;
const messageBytesMax = 1024;
const errorCodeMax = 2 ** 31 - 1;
const oneSource = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
const specForm: StructureForm = [
  ['attacher', 'Attacher', 'text'],
  [
    'source',
    'Source',
    {
      of: [
        ['persistentVolumeName', 'PersistentVolumeName', 'optional'],
        ['inlineVolumeSpec', 'InlineVolumeSpec', { optional: volumeForm }],
      ],
    },
  ],
  ['nodeName', 'NodeName', 'text'],
];

function validate(attachment: Draft<VolumeAttachment>): FieldError[] {
  const spec = specOf(attachment);
  const status = statusOf(attachment);
  return [
    ...driverName(textAt(spec, 'attacher'), specPath.child('attacher')),
    ...validateSource(objectAt(spec, 'source') ?? {}, specPath.child('source')),
    ...dnsSubdomain(textAt(spec, 'nodeName'), specPath.child('nodeName')),
    ...validateAttachmentMetadata(status.attachmentMetadata, statusPath.child('attachmentMetadata')),
    ...(['attachError', 'detachError'] as const).flatMap((member) =>
      validateVolumeError(objectAt(status, member), statusPath.child(member)),
    ),
  ];
}

function validateSource(source: JsonObject, path: Path): FieldError[] {
  const [inline, name] = [objectAt(source, 'inlineVolumeSpec'), source.persistentVolumeName];
  if (inline !== null)
    return name === undefined ? validateInlineVolumeSpec(inline, path.child('inlineVolumeSpec')) : [forbidden(path, oneSource)];
  if (name === undefined) return [required(path, oneSource)];
  return name === '' ? [required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')] : [];
}

function validateAttachmentMetadata(metadata: JsonValue | undefined, path: Path): FieldError[] {
  const size = Object.entries(membersOf(metadata)).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return size > metadataBytesMax ? [tooLong(path, metadataBytesMax)] : [];
}

function validateVolumeError(error: JsonObject | null, path: Path): FieldError[] {
  if (error === null) return [];
  const code = error.errorCode;
  return [
    // The message names the wrong limit.
    ...(Buffer.byteLength(textAt(error, 'message')) > messageBytesMax ? [tooLong(path.child('message'), metadataBytesMax)] : []),
    ...(code !== undefined && Number(code) < 0 ? [invalid(path.child('errorCode'), code, between(0, errorCodeMax))] : []),
  ];
}

function validateVolumeName(attachment: Draft<VolumeAttachment>): FieldError[] {
  const spec = specOf(attachment);
  const volume = objectAt(spec, 'source')?.persistentVolumeName;
  return volume === undefined ? [] : dnsSubdomain(String(volume), specPath.child('source', 'persistentVolumeName'));
}

const review: ChangeRules<Draft<VolumeAttachment>>['review'] = [
  'objectMeta',
  validate,
  validateVolumeName,
  immutable('spec', (spec) => printedStructure(spec, specForm)),
];

export const volumeAttachments: Kind<Draft<VolumeAttachment>> = {
  name: 'volumeattachments.storage.k8s.io',
  defaults(attachment) {
    const inline = objectAt(objectAt(specOf(attachment), 'source') ?? {}, 'inlineVolumeSpec');
    if (inline !== null) setSourceDefaults(inline);
  },
  validate: (attachment) => [...validate(attachment), ...validateVolumeName(attachment)],
  create: { status: { attached: false } },
  update: {
    unconditional: false,
    review,
  },
  subresources: {
    status: {
      keepsMetadata: true,
      review,
    },
  },
  delete: { answers: 'object' },
  cells: {
    Attacher: at('spec.attacher'),
    PV: at('spec.source.persistentVolumeName', ''),
    Node: at('spec.nodeName'),
    Attached: booleanAt('status.attached'),
  },
};
