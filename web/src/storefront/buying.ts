// The Buy button of one sale: one click is one request, and every state is said as it is.
import { computed, onScopeDispose, reactive, ref, watch } from 'vue'
import { call, Problem, Unreachable, type ProblemBody } from '@shared/client'
import { user } from '@shared/session'
import { dropIntent, keepIntent, newKey, readIntent } from './intents'
import { follow, learn, orders } from './orders_feed'
import { spread } from './polling'

export type Buying =
  | { step: 'idle' }
  | { step: 'asking' } // the request is under way
  | { step: 'undecided' } // asked, no certain answer: asks again by itself with the same key
  | { step: 'busy' } // certainly nothing was promised: asks again by itself
  | { step: 'ordered'; order_no: string } // promised, or an order: its status says which
  | { step: 'refused'; why: ProblemBody; at: number }

const retries_max = 8
const gone = new Set(['closed', 'failed', 'refunded'])

export function useBuying(saleId: number) {
  const state = reactive<{ now: Buying }>({ now: { step: 'idle' } })
  const quantity = ref(1)
  let retries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let unfollow = (): void => undefined

  const order = computed(() =>
    state.now.step === 'ordered' ? orders.get(state.now.order_no) : undefined,
  )

  function have(order_no: string): void {
    unfollow()
    state.now = { step: 'ordered', order_no }
    unfollow = follow(order_no)
  }

  async function ask(key: string): Promise<void> {
    const who = user.value
    if (!who) return
    keepIntent(who.id, saleId, { key, pending: true })
    try {
      const made = await call('post', '/api/v1/sales/{id}/orders', {
        path: { id: saleId },
        headers: { 'Idempotency-Key': key },
        body: { quantity: quantity.value },
        timeout_ms: 15_000,
      })
      if ('sale_id' in made) learn(made)
      keepIntent(who.id, saleId, { key, pending: false, order_no: made.order_no })
      have(made.order_no)
    } catch (error) {
      settle(who.id, key, error)
    }
  }

  function settle(who: number, key: string, error: unknown): void {
    if (error instanceof Problem && error.code === 'already_ordered' && error.body.order_no) {
      keepIntent(who, saleId, { key, pending: false, order_no: error.body.order_no })
      have(error.body.order_no)
      return
    }
    const undecided = error instanceof Unreachable || (error instanceof Problem && error.code === 'undecided')
    const busy = error instanceof Problem && error.code === 'busy'
    if ((undecided || busy) && retries < retries_max) {
      state.now = { step: undecided ? 'undecided' : 'busy' }
      const asked = error instanceof Problem ? (error.body.retry_after_ms ?? 500) : 500
      timer = setTimeout(() => void ask(key), spread(asked * 2 ** Math.min(retries++, 4)))
      return
    }
    // Of an undecided purchase the key is kept: the next click asks for the same one.
    if (!undecided) dropIntent(who, saleId)
    const why: ProblemBody = error instanceof Problem
      ? error.body
      : { type: 'about:blank', title: '', status: 503, code: 'undecided' }
    state.now = { step: 'refused', why, at: Date.now() }
  }

  async function buy(): Promise<void> {
    if (state.now.step === 'asking' || state.now.step === 'undecided' || state.now.step === 'busy') return
    if (!user.value) return
    const kept = readIntent(user.value.id, saleId) // another tab may have asked already
    retries = 0
    state.now = { step: 'asking' }
    await ask(kept?.pending ? kept.key : newKey())
  }

  /** After a reload, in a second tab, by the back button: where it stood. */
  function restore(): void {
    clearTimeout(timer)
    unfollow()
    unfollow = () => undefined
    state.now = { step: 'idle' }
    const kept = user.value ? readIntent(user.value.id, saleId) : null
    if (kept?.order_no) {
      have(kept.order_no)
    } else if (kept?.pending) {
      state.now = { step: 'undecided' }
      void ask(kept.key)
    }
  }

  // A unit that was given back may be bought anew.
  watch(() => order.value?.status, (status) => {
    if (status && gone.has(status) && user.value) dropIntent(user.value.id, saleId)
  })
  const otherTab = (event: StorageEvent): void => {
    if (event.key?.endsWith(`.${saleId}`) && state.now.step !== 'asking') restore()
  }
  window.addEventListener('storage', otherTab)
  watch(() => user.value?.id, restore, { immediate: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    unfollow()
    window.removeEventListener('storage', otherTab)
  })
  const underWay = computed(() => ['asking', 'undecided', 'busy'].includes(state.now.step))
  const again = computed(() => order.value !== undefined && gone.has(order.value.status))
  return { state, order, quantity, buy, underWay, again }
}
