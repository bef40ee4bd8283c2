import { expect } from 'chai';
import fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { readPluginConfigurations } from '../../../../server/admission/configuration.js';
import { podSecurityRules } from '../../../../server/admission/podsecurity/configuration.js';
import { readPolicyFile } from '../../../../server/audit/policyFile.js';
import { withLines } from '../../../../program/files/places.js';
import { readTracingConfiguration } from '../../../../program/tracing/configuration.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

/** An error in a configuration file names option, file, line, member and a suggestion. */
describe('problems about configuration files', () => {
  const folder = temporaryDirectory('configuration');
  const file = (text: string, name = 'c.yaml'): string => {
    const at = path.join(folder, name);
    fs.writeFileSync(at, text);
    return at;
  };

  it('tell the line of the member, and what was meant by one that is misspelt', () => {
    const at = file(
      'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n\n# sampled\nendpiont: localhost:1\nsamplingRatePerMillion: x\n',
    );
    expect(() => readTracingConfiguration(at)).to.throw(
      `--tracing-config-file: ${at} line 5: endpiont is unknown (did you mean endpoint?); line 6: samplingRatePerMillion must be a whole number`,
    );
  });

  it('tell that of rules between members as well', () => {
    const at = file(
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n- level: None\n  nonResourceURLs:\n  - /x\n  - /a*b\n',
    );
    expect(() => readPolicyFile(at)).to.throw(
      /--audit-policy-file: .* line 8: rules\[1\]\.nonResourceURLs\[1\] may have "\*" at its end only/,
    );
  });

  it('tell that of rules for a plug-in, in the file or one that it names', () => {
    const rules = [
      'apiVersion: pod-security.admission.config.k8s.io/v1',
      'kind: PodSecurityConfiguration',
      'defaults:',
      '  enforced: restricted',
    ];
    const head = ['apiVersion: apiserver.config.k8s.io/v1', 'kind: AdmissionConfiguration', 'plugins:', '- name: PodSecurity'];
    const inline = file([...head, '  configuration:', ...rules.map((line) => `    ${line}`)].join('\n'));
    const wrong = (line: number): RegExp =>
      new RegExp(`the configuration of PodSecurity: .* line ${line}: defaults\\.enforced is unknown \\(did you mean enforce\\?\\)`);
    expect(() => podSecurityRules(readPluginConfigurations(inline).get('PodSecurity') ?? null)).to.throw(wrong(9));
    file(rules.join('\n'), 'rules.yaml');
    const outside = file([...head, '  path: rules.yaml'].join('\n'));
    expect(() => podSecurityRules(readPluginConfigurations(outside).get('PodSecurity') ?? null)).to.throw(wrong(4));
  });

  it('tell that of what lacks a member, and none where there is no path', () => {
    const text = 'a:\n- b: 1\n-\n  c: {"d": 2,\n      "e": 3}\n';
    expect(withLines(text, ['a[1].c.e is odd', 'a[1].c.f must be there', 'a[7] is odd', 'must hold kind X', 'x is odd'])).to.deep.equal([
      'line 5: a[1].c.e is odd',
      'line 4: a[1].c.f must be there',
      'line 1: a[7] is odd',
      'must hold kind X',
      'x is odd',
    ]);
    expect(withLines(text, ['d is odd'], 'a[1].c')).to.deep.equal(['line 4: d is odd']);
    expect(withLines('a: [', ['a is odd'])).to.deep.equal(['line 1: a is odd']);
  });

  it('tell the line that the member stands in, wherever it stands', () => {
    const name = fc.stringMatching(/^[a-z][a-zA-Z]{0,5}$/);
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.dictionary(name, tie('node'), { minKeys: 1, maxKeys: 3 }),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(name, tree, { minKeys: 1, maxKeys: 4 }), fc.nat(), (value, pick) => {
        const marked = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
        const places: { path: string; holder: Record<string, unknown>; key: string }[] = [];
        const visit = (node: unknown, at: string): void => {
          if (typeof node !== 'object' || node === null) return;
          for (const [key, inner] of Object.entries(node)) {
            const here = Array.isArray(node) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`;
            if (typeof inner === 'number') places.push({ path: here, holder: node as Record<string, unknown>, key });
            visit(inner, here);
          }
        };
        visit(marked, '');
        const chosen = places[pick % Math.max(places.length, 1)];
        if (chosen === undefined) return;
        chosen.holder[chosen.key] = 'HERE';
        const text = stringify(marked);
        const line = text.split('\n').findIndex((each) => each.includes('HERE')) + 1;
        expect(withLines(text, [`${chosen.path} is odd`])).to.deep.equal([`line ${line}: ${chosen.path} is odd`]);
      }),
    );
  });
});
