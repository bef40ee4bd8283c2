import { invalid, required, tooLong, type FieldError, type Path } from '../../registry/validation/field.js';
import { dnsLabelName, subdomainName, type NameRule } from '../../registry/validation/names.js';

const DOMAIN_MAX = 253;
const NAME_MAX = 571;
const FORM = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

/** Who is to sign: a domain with at least one dot, and a path below it. */
export function validateSignerName(name: string, path: Path): FieldError[] {
  if (name === '') return [required(path, '')];
  const [domain = '', rest, more] = name.split('/');
  if (rest === undefined || more !== undefined) return [invalid(path, name, FORM)];
  return [
    ...(domain.length > DOMAIN_MAX ? [tooLong(path, DOMAIN_MAX)] : []),
    ...firstBadLabel(domain, dnsLabelName, path),
    ...(domain.includes('.') ? [] : [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...firstBadLabel(rest, subdomainName, path),
    ...(name.length > NAME_MAX ? [tooLong(path, NAME_MAX)] : []),
  ];
}

/** Only the first label with a fault is reported. */
function firstBadLabel(text: string, rule: NameRule, path: Path): FieldError[] {
  for (const label of text.split('.')) {
    const complaints = rule(label, false);
    if (complaints.length > 0)
      return complaints.map((complaint) => invalid(path, text, `validating label ${JSON.stringify(label)}: ${complaint}`));
  }
  return [];
}
