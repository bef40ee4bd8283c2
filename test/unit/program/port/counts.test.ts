import { expect } from 'chai';
import { SharedCount } from '../../../../program/port/connections/counts.js';
import { Slots } from '../../../../program/port/connections/slots.js';
import type { User } from '../../../../api/user.js';

const user = (name: string): User => ({ name, uid: '', groups: ['system:authenticated'], extra: {} });

describe('http/counts', () => {
  it('bounds what several threads hold together, and gives room to each when another leaves', () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    const [one, other] = [new Slots(20, new SharedCount(words, 0)), new Slots(20, new SharedCount(words, 0))];
    const enter = (slots: Slots, number: number): boolean => {
      try {
        slots.enter(`user ${number}`, user(`user ${number}`));
        return true;
      } catch (error) {
        expect(error).to.deep.include({ code: 429 });
        return false;
      }
    };
    const passed = Array.from({ length: 50 }, (_, number) => enter(number % 2 === 0 ? one : other, number)).filter(Boolean).length;
    expect([passed, one.taken, other.taken]).to.deep.equal([20, 10, 10]);
    one.leave({ amount: 1 });
    expect([enter(other, 60), enter(other, 61)]).to.deep.equal([true, false]);
  });
});
