import { maps, optionals, optionalStructure, selectors, structureOf, texts, type StructureForm } from '../../language.js';

type Forms = (...names: readonly string[]) => StructureForm;

const source = [...optionals('apiGroup=APIGroup'), ...texts('kind', 'name')];

/** The specification in messages. Two forms say how empty lists and maps are quoted. */
export const claimForm = (lists: Forms = optionals, amounts: Forms = maps): StructureForm => [
  ...lists('accessModes'),
  ...selectors('selector'),
  ...structureOf('resources', amounts('limits', 'requests')),
  ...texts('volumeName'),
  ...optionals('storageClassName', 'volumeMode'),
  ...optionalStructure('dataSource', source),
  ...optionalStructure('dataSourceRef', [...source, ...optionals('namespace')]),
  ...optionals('volumeAttributesClassName'),
];
