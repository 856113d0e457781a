// One timer for every countdown of the page. `now` is the server's time; it moves twenty times a
// second, so that a button wakes within 50 ms of the opening. Texts that show whole seconds are
// computed from it and are drawn anew only when they change.
import { onScopeDispose, readonly, ref, type Ref } from 'vue'
import { serverNow } from '@shared/server_clock'

const every_ms = 50
const now = ref(serverNow())
let users = 0
let timer: ReturnType<typeof setInterval> | undefined

const beat = (): void => {
  now.value = serverNow()
}

export function useNow(): Readonly<Ref<number>> {
  if (users++ === 0) {
    beat()
    timer = setInterval(beat, every_ms)
    document.addEventListener('visibilitychange', beat)
  }
  onScopeDispose(() => {
    if (--users > 0) return
    clearInterval(timer)
    document.removeEventListener('visibilitychange', beat)
  })
  return readonly(now)
}
