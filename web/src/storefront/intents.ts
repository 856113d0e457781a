// What a buyer set out to buy, kept over reloads and shared by tabs: the Idempotency-Key under which
// it was asked for, whether an answer is still outstanding, and the order that came of it. A retry
// after a reload or in another tab sends the same key, so it cannot become a second order.
import { forget, recall, remember } from '@shared/storage'

export interface Intent {
  key: string
  pending: boolean // sent, and no answer that settles it
  order_no?: string
}

const name = (user: number, sale: number): string => `buy.${user}.${sale}`

export function readIntent(user: number, sale: number): Intent | null {
  try {
    const found = JSON.parse(recall(name(user, sale)) ?? 'null') as Intent | null
    return found && typeof found.key === 'string' ? found : null
  } catch {
    return null
  }
}

export function keepIntent(user: number, sale: number, intent: Intent): void {
  remember(name(user, sale), JSON.stringify(intent))
}

export function dropIntent(user: number, sale: number): void {
  forget(name(user, sale))
}

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}
