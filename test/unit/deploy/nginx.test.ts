import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { nginxConfiguration } from '../../../deploy/nginx.js';
import { packageRoot } from '../../fixtures/packageRoot.js';

describe('deploy/nginx', () => {
  it('is committed as a sample that is what would be generated', () => {
    const backends = ['10.0.0.1:6443', '10.0.0.2:6443', '10.0.0.3:6443'];
    const sample = fs.readFileSync(path.join(packageRoot, 'deploy', 'nginx.conf'), 'utf8');
    expect(nginxConfiguration({ listen: '6443', backends })).to.equal(sample);
  });
});
