import { readCatalogueData } from '../../api/catalogue/data.js';
import type { ApiType, Field } from '../../api/catalogue/types.js';

/**
 * Short texts for `kubectl explain` and generated documentation, by type without version (`core.Pod`), shared by all versions. `kind.NAME` is the default for
 * a member of kinds, `*.NAME` for one of all types.
 */
interface Descriptions {
  readonly types: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

let data: Descriptions | undefined;

const descriptions = (): Descriptions => (data ??= readCatalogueData<Descriptions>('descriptions'));

const versionless = (name: string): string => name.replace(/\.v\d\w*\./, '.');
const lastWord = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

const families: readonly (readonly [RegExp, string])[] = [
  [/^(\w+)List$/, 'A list of objects of kind %.'],
  [/^(\w+)Spec$/, 'What is wanted of the %.'],
  [/^(\w+)Status$/, 'What is known of the present state of the %.'],
];

export function descriptionOfType({ name }: ApiType): string | null {
  const known = descriptions().types[versionless(name)];
  if (known !== undefined) return known;
  for (const [pattern, text] of families) {
    const [, subject] = pattern.exec(lastWord(name)) ?? [];
    if (subject !== undefined) return text.replace('%', subject);
  }
  return null;
}

/** An inlined type's member is described there, unless its own type describes it. */
export function descriptionOfField({ name, kinds }: ApiType, field: Pick<Field, 'name' | 'within'>): string | null {
  const { fields } = descriptions();
  const type = versionless(name);
  const inlined = field.within === undefined ? type : `${type.slice(0, type.indexOf('.'))}.${lastWord(field.within)}`;
  return (
    fields[`${type}.${field.name}`] ??
    fields[`${inlined}.${field.name}`] ??
    (kinds.length > 0 ? fields[`kind.${field.name}`] : undefined) ??
    fields[`*.${field.name}`] ??
    null
  );
}
