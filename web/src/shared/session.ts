// Who is logged in. The token lies in localStorage, so that tabs share it; docs/adr/0028 says why
// that is acceptable here: no script but our own can run, and the token is never in an address.
import { computed, readonly, ref } from 'vue'
import type { components } from '../generated/api'
import { forget, onOtherTab, recall, remember } from './storage'

type Welcome = components['schemas']['Welcome']
export type User = components['schemas']['User']
interface Login {
  token: string
  user: User
  expires_at: string
}

function parse(text: string | null): Login | null {
  if (!text) return null
  try {
    const login = JSON.parse(text) as Login
    return typeof login.token === 'string' && login.user ? login : null
  } catch {
    return null
  }
}

const login = ref<Login | null>(parse(recall('login')))
/** The log-in ended by itself (expired, or ended elsewhere), not by a click on "log out". */
const ended = ref(false)

export const token = computed(() => login.value?.token ?? '')
export const user = computed(() => login.value?.user ?? null)
export const loginEnded = readonly(ended)

export function keepLogin(welcome: Welcome): void {
  const { token: secret, user: who, expires_at } = welcome
  login.value = { token: secret, user: who, expires_at }
  ended.value = false
  remember('login', JSON.stringify(login.value))
}

export function dropLogin(byClick = false): void {
  ended.value = !byClick
  login.value = null
  forget('login')
}

export function followOtherTabs(): void {
  onOtherTab('login', (value) => {
    login.value = parse(value)
    ended.value = false
  })
}
