import { expect } from 'chai';
import { createAdmission } from '../../../../server/admission/chain.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../../server/registry/admission.js';

const request = { operation: 'CREATE', resource: { storage: { group: '', resource: 'pods' } }, object: {} } as unknown as AdmissionRequest;

describe('the order of admission', () => {
  const ran: string[] = [];
  const noting = (name: string, later: boolean): AdmissionPlugin => {
    const note = (text: string): Promise<void> | void => {
      ran.push(`${name} ${text}`);
      if (later) return Promise.resolve();
    };
    return {
      name,
      resources: null,
      admit(_, pass) {
        pass.repeat();
        return note(pass.again ? 'again' : 'admit');
      },
      permit: () => note('permit'),
      validate: () => note('validate'),
    };
  };
  beforeEach(() => {
    ran.length = 0;
  });

  for (const later of [false, true]) {
    it(`demands rights once, after all passes and before validation, where steps ${later ? 'wait' : 'return at once'}`, async () => {
      const admission = createAdmission([noting('a', later), noting('b', later)]);
      await admission.admit(request);
      expect(ran).to.deep.equal(['a admit', 'b admit', 'a again', 'b again', 'a permit', 'b permit']);
      await admission.validate(request);
      expect(ran.slice(6)).to.deep.equal(['a validate', 'b validate']);
    });
  }

  it('refuses a write with the first right that is missing', async () => {
    const refuse = (name: string): AdmissionPlugin => ({
      name,
      resources: null,
      permit() {
        throw new Error(name);
      },
    });
    const admission = createAdmission([noting('a', false), refuse('first'), refuse('second')]);
    const refused: unknown = await Promise.resolve(admission.admit(request)).catch((error: unknown) => error);
    expect(refused).to.have.property('message', 'first');
  });

  it('returns at once where no step has to wait', () => {
    expect(createAdmission([{ name: 'a', resources: null, admit() {} }]).admit(request)).to.equal(undefined);
  });
});
