// Who is logged in and what they may do. The token lives in this tab only: sessionStorage is gone
// with the tab, no other site can read it, and no cookie means no request can be forged with it.
import { reactive } from 'vue'

export type Permission = 'see' | 'sell' | 'assist' | 'money' | 'manage'
const all: readonly Permission[] = ['see', 'sell', 'assist', 'money', 'manage']
const place = 'floodgate.console'

interface Person {
  id: number
  nickname: string
  role: string
  permissions: readonly string[]
  /** Until it is changed, the server answers nothing else. */
  must_change_password: boolean
}

export const session = reactive({
  token: read_token(),
  person: null as Person | null,
  /** Why the last log-in ended, to be shown on the log-in page. */
  ended: false,

  begin(token: string): void {
    session.token = token
    session.ended = false
    sessionStorage.setItem(place, token)
  },
  end(): void {
    session.ended = session.person !== null
    session.token = ''
    session.person = null
    sessionStorage.removeItem(place)
  },
  can(what: Permission): boolean {
    return session.person?.permissions.includes(what) ?? false
  },
  is_staff(): boolean {
    return all.some((p) => session.can(p))
  },
})

function read_token(): string {
  return sessionStorage.getItem(place) ?? ''
}
