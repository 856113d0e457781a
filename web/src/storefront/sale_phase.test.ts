import { describe, expect, test } from 'vitest'
import { left, money, readMoney } from './format'
import { goneShare, phaseOf } from './sale_phase'

const sale = { state: 'published' as const, starts_at: '2026-11-15T10:00:00.000Z', ends_at: '2026-11-15T12:00:00.000Z', free: 3 }
const ten = Date.parse(sale.starts_at)

describe('the phase of a sale', () => {
  test('opens at its millisecond and not before', () => {
    expect(phaseOf(sale, ten - 1)).toBe('coming')
    expect(phaseOf(sale, ten)).toBe('open')
  })
  test('is judged in the order of the gate', () => {
    expect(phaseOf({ ...sale, free: 0 }, ten)).toBe('sold_out')
    expect(phaseOf({ ...sale, state: 'paused', free: 0 }, ten)).toBe('paused')
    expect(phaseOf({ ...sale, state: 'paused' }, Date.parse(sale.ends_at))).toBe('ended')
  })
})

describe('the stock bar', () => {
  test('is full only when nothing is left, and empty only when nothing is gone', () => {
    expect(goneShare(1000, 1)).toBe(99)
    expect(goneShare(1000, 999)).toBe(1)
    expect(goneShare(1000, 0)).toBe(100)
    expect(goneShare(1000, 1000)).toBe(0)
    expect(goneShare(1000, null)).toBe(0)
  })
})

describe('figures', () => {
  test('a countdown shows zero only when the time has come', () => {
    expect(left(1).seconds).toBe('01')
    expect(left(0).seconds).toBe('00')
    expect(left(90_061_000)).toEqual({ days: 1, hours: '01', minutes: '01', seconds: '01' })
  })
  test('money is read and written to the fen', () => {
    expect(money(199_950)).toBe('¥1,999.50')
    expect(money(100_000_000)).toBe('¥1,000,000')
    expect(readMoney(' 12.5 ')).toBe(1250)
    expect(readMoney('12.345')).toBeNull()
    expect(readMoney('-1')).toBeNull()
  })
})
