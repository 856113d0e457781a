// Titles and pictures of sales, for orders, which know only a number. Asked for once each.
import { reactive } from 'vue'
import { call } from '@shared/client'
import type { Sale } from './sale_phase'

const known = reactive(new Map<number, Sale | null>())

export function useSaleInfo(id: number): Map<number, Sale | null> {
  if (!known.has(id)) {
    known.set(id, null)
    call('get', '/api/v1/sales/{id}', { path: { id } }).then((sale) => known.set(id, sale), () => undefined)
  }
  return known as Map<number, Sale | null>
}
