// How one can pay here; asked for once.
import { shallowRef } from 'vue'
import { call, type Schemas } from '@shared/client'

const facts = shallowRef<Schemas['Shop'] | null>(null)
let asked = false

export function useShop(): typeof facts {
  if (!asked) {
    asked = true
    call('get', '/api/v1/shop').then(
      (found) => (facts.value = found),
      () => (asked = false),
    )
  }
  return facts
}
