// The live figures: a minute or more of history once, then one message a second over one WebSocket.
// Every page shares it; it is open while somebody is logged in and the page is visible.
import { reactive, shallowRef } from 'vue'
import { get, post, type Schema } from './api'
import { session } from './session'

export type Moment = Schema<'LiveMoment'>

const kept_max = 3600
const first_wait_ms = 1000
const longest_wait_ms = 15_000
const silent_ms = 4000 // without a message for so long, the figures are called old

export const live = reactive({ fresh: false, last_ms: 0 })
export const now = shallowRef<Moment | null>(null)
export const history = shallowRef<readonly Moment[]>([])

let socket: WebSocket | null = null
let wanted = false
let wait_ms = first_wait_ms
let again: number | undefined
let watch: number | undefined

function take(moment: Moment): void {
  now.value = moment
  const last = history.value.at(-1)
  if (last && last.at_ms >= moment.at_ms) return
  const plain = { ...moment }
  delete plain.sales
  delete plain.nodes_seen
  history.value = [...history.value.slice(-(kept_max - 1)), plain]
  live.fresh = true
  live.last_ms = Date.now()
}

/** Loads more of the past: an hour is kept by the server. */
export async function look_back(seconds: number): Promise<void> {
  const page = await get('/api/v1/admin/live', { query: { seconds } })
  history.value = page.history
  if (page.now) now.value = page.now
}

async function connect(): Promise<void> {
  again = undefined
  if (!wanted || !session.token || socket) return
  try {
    await look_back(Math.max(60, history.value.length))
    const { ticket } = await post('/api/v1/ws/ticket')
    if (!wanted) return
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const opened = new WebSocket(`${scheme}://${location.host}/api/v1/ws?ticket=${ticket}&live=1`)
    socket = opened
    opened.onmessage = (event: MessageEvent<string>) => {
      const said = JSON.parse(event.data) as { type: string; now?: Moment }
      if (said.type === 'live' && said.now) {
        wait_ms = first_wait_ms
        take(said.now)
      }
    }
    opened.onclose = () => {
      if (socket === opened) socket = null
      retry()
    }
  } catch {
    retry()
  }
}

function retry(): void {
  live.fresh = false
  if (!wanted || again !== undefined) return
  again = window.setTimeout(() => void connect(), wait_ms * (0.75 + Math.random() / 2))
  wait_ms = Math.min(wait_ms * 2, longest_wait_ms)
}

function check(): void {
  if (live.fresh && Date.now() - live.last_ms > silent_ms) live.fresh = false
}

export function start_live(): void {
  if (wanted) return
  wanted = true
  watch = window.setInterval(check, 1000)
  void connect()
}

export function stop_live(): void {
  wanted = false
  live.fresh = false
  window.clearTimeout(again)
  window.clearInterval(watch)
  again = undefined
  socket?.close()
  socket = null
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && wanted && !socket && again === undefined)
    void connect()
})
