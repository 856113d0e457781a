// Asks for a page of the showcase again and again while it is looked at, with its ETag, so that an
// answer without news has no body. The pauses are random within half of their length either way:
// a crowd that opened the page together, or was woken by the same opening, does not ask together.
import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { send, Unreachable } from '@shared/client'

export interface Polled<T> {
  data: ShallowRef<T | null>
  failed: Ref<boolean>
  missing: Ref<boolean>
  again: () => Promise<void>
}

export function spread(ms: number, random = Math.random()): number {
  return ms * (0.5 + random)
}

export function poll<T>(address: string, every_ms: number): Polled<T> {
  const data = shallowRef<T | null>(null)
  const failed = ref(false)
  const missing = ref(false)
  let etag: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  let failures = 0
  let underWay: Promise<void> | null = null

  async function ask(): Promise<void> {
    try {
      const answer = await send('get', address, etag ? { headers: { 'If-None-Match': etag } } : {})
      if (answer.status === 200) {
        etag = answer.etag
        data.value = JSON.parse(answer.text) as T
      }
      missing.value = answer.status === 404
      failed.value = answer.status !== 304 && answer.status !== 404 && answer.status !== 200
      failures = failed.value ? failures + 1 : 0
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      failed.value = true
      ++failures
    }
  }
  function plan(): void {
    clearTimeout(timer)
    if (stopped || document.visibilityState === 'hidden') return
    timer = setTimeout(() => void again(), spread(every_ms * Math.min(8, 1 + failures)))
  }
  function again(): Promise<void> {
    underWay ??= ask().finally(() => {
      underWay = null
      plan()
    })
    return underWay
  }
  const seen = (): void => {
    if (document.visibilityState === 'visible') void again()
  }
  document.addEventListener('visibilitychange', seen)
  window.addEventListener('online', seen)
  onScopeDispose(() => {
    stopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', seen)
    window.removeEventListener('online', seen)
  })
  void again()
  return { data, failed, missing, again }
}
