// The server's time, however wrong the clock of this machine is.
//
// The skew is measured on /api/v1/time. The server read its clock somewhere between sending and
// receiving, so half the round trip is the best guess and also the largest error; of several
// measurements the one with the shortest round trip counts. Between measurements the monotonic clock
// (performance.now) goes on, so that setting the machine's clock does not move a countdown.
import { readonly, ref } from 'vue'

export interface Measurement {
  sent: number // performance.now() before the request
  received: number // and after the answer
  server: number // now_ms of the answer
}

/** What to add to performance.now(), and how wrong it can be. */
export interface Offset {
  value: number
  error: number
}

export function offsetOf(m: Measurement): Offset {
  const half = (m.received - m.sent) / 2
  return { value: m.server - (m.sent + half), error: half }
}

export function best(offsets: Offset[]): Offset | null {
  return offsets.reduce<Offset | null>((a, b) => (a && a.error <= b.error ? a : b), null)
}

const again_ms = 60_000
const good_enough_ms = 30
const tries = 4

const offset = ref<Offset | null>(null)
export const clockOffset = readonly(offset)
export const clockIsKnown = (): boolean => offset.value !== null

/** Milliseconds since 1970, by the server. Until it is known, by this machine. */
export function serverNow(): number {
  return offset.value ? performance.now() + offset.value.value : Date.now()
}

async function measureOnce(): Promise<Offset | null> {
  const sent = performance.now()
  try {
    const answer = await fetch('/api/v1/time', { cache: 'no-store', credentials: 'omit' })
    const received = performance.now() // at the headers: reading the body is not the round trip
    if (!answer.ok) return null
    const { now_ms } = (await answer.json()) as { now_ms: number }
    return offsetOf({ sent, received, server: now_ms })
  } catch {
    return null
  }
}

/** Up to four requests, one after the other; fewer when the first is quick. */
export async function measureClock(): Promise<void> {
  const found: Offset[] = []
  for (let i = 0; i < tries; ++i) {
    const one = await measureOnce()
    if (!one) break
    found.push(one)
    offset.value = best(found)
    if (one.error <= good_enough_ms) break
  }
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Measures now, every minute (with jitter) and when the page is seen again. */
export function keepClock(): void {
  const next = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void measureClock().finally(next), again_ms * (0.75 + Math.random() / 2))
  }
  void measureClock().finally(next)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void measureClock()
  })
}
