import { describe, it, expect } from 'vitest';
import { add } from './add';

const fixture = 1;

describe('add', () => {
  it('adds two', () => {
    expect(add(1, fixture)).toBe(2);
  });
  describe.skip("negative", function () {
    it.only(`adds ${fixture}`, async () => { if (fixture) add(); });
    it.each([[1, 2]])('adds %i', (a, b) => add(a, b));
    test.todo('later');
  });
});

test('alone', () => add(3));
suite('only tests', () => {});
