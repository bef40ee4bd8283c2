import { dnsLabelName, invalid, missing, subdomainName, tooLong, type FieldError, type NameRule, type Path } from '../language.js';

const domainMax = 253;
const nameMax = 571;
const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

/** A domain with at least one dot, and a path below it. */
export function validateSignerName(name: string, path: Path): FieldError[] {
  if (name === '') return [missing(path, '')];
  const [domain = '', rest, more] = name.split('/');
  if (rest === undefined || more !== undefined) return [invalid(path, name, form)];
  return [
    ...(domain.length > domainMax ? [tooLong(path, domainMax)] : []),
    ...firstBadLabel(domain, dnsLabelName, path),
    ...(domain.includes('.') ? [] : [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...firstBadLabel(rest, subdomainName, path),
    ...(name.length > nameMax ? [tooLong(path, nameMax)] : []),
  ];
}

/** Only the first invalid label is reported. */
function firstBadLabel(text: string, rule: NameRule, path: Path): FieldError[] {
  for (const label of text.split('.')) {
    const problems = rule(label, false);
    if (problems.length > 0) return problems.map((problem) => invalid(path, text, `validating label ${JSON.stringify(label)}: ${problem}`));
  }
  return [];
}
