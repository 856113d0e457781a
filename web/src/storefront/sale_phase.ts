// What can be said of a sale at a moment, by the server's clock.
import type { Schemas } from '@shared/client'

export type ListedSale = Schemas['SaleInList']
export type Sale = Schemas['Sale']
export type Phase = 'coming' | 'open' | 'sold_out' | 'paused' | 'ended'

type Facts = Pick<ListedSale, 'state' | 'starts_at' | 'ends_at' | 'free'>

/** The same order as the gate's: ended, paused, not started, sold out. */
export function phaseOf(sale: Facts, now: number): Phase {
  if (sale.state === 'ended' || now >= Date.parse(sale.ends_at)) return 'ended'
  if (sale.state === 'paused') return 'paused'
  if (now < Date.parse(sale.starts_at)) return 'coming'
  return sale.free === 0 ? 'sold_out' : 'open'
}

/** 0 to 100: what is gone. Never 100 while a unit is left, never 0 after one is gone. */
export function goneShare(stock: number, free: number | null): number {
  if (free === null || stock <= 0) return 0
  const gone = ((stock - free) / stock) * 100
  if (free <= 0) return 100
  return gone <= 0 ? 0 : Math.min(99, Math.max(1, Math.round(gone)))
}
