import { describe, expect, test } from 'vitest'
import { best, offsetOf } from './server_clock'

describe('the server clock', () => {
  test('takes the middle of the round trip for the moment of the answer', () => {
    expect(offsetOf({ sent: 100, received: 300, server: 10_000 })).toEqual({ value: 9800, error: 100 })
  })
  test('is right although the clock of the machine is an hour wrong, because it never reads it', () => {
    const one = offsetOf({ sent: 0, received: 20, server: 3_600_000 })
    expect(one.value + 10).toBe(3_600_000)
  })
  test('believes the measurement with the shortest round trip', () => {
    expect(best([{ value: 1, error: 50 }, { value: 2, error: 5 }, { value: 3, error: 9 }])?.value).toBe(2)
    expect(best([])).toBeNull()
  })
})
