import { invalid, missing, qualifiedNameProblems, required, tooLong, type FieldError, type Path, type Rule } from '../language.js';

const parametersBytesMax = 256 * 1024;
const parametersMax = 512;

type Texts = { readonly [name: string]: string | undefined };

export const bytesOf = (texts: Texts): number =>
  Object.entries(texts).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)), 0);

/** Parameters for a driver, which some classes require. */
export const parameters =
  (mayBeEmpty: boolean): Rule<Texts | undefined> =>
  (given, path): FieldError[] => {
    const names = Object.keys(given ?? {});
    if (names.length > parametersMax) return [tooLong(path, parametersMax)];
    const findings = names.includes('') ? [invalid(path, '', 'field can not be empty.')] : [];
    if (bytesOf(given ?? {}) > parametersBytesMax) findings.push(tooLong(path, parametersBytesMax));
    if (names.length === 0 && !mayBeEmpty) findings.push(missing(path, 'must contain at least one key/value pair'));
    return findings;
  };

const lowered = (name: string, path: Path): FieldError[] =>
  qualifiedNameProblems(name.toLowerCase()).map((text) => invalid(path, name.toLowerCase(), text));

/** A provisioner or driver, with or without a domain; capitals are tolerated. */
export const provisioner = required(lowered);
