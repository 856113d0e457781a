// News of the buyer's orders: a WebSocket, and long polls while there is none.
//
// Push is a hint: after every reconnect the first message brings the present state of the latest
// orders. A page says which order it follows; while the socket is not open, each followed order is
// asked for by a request that waits on the server until the order changes.
import { onScopeDispose, reactive, readonly, ref, watch } from 'vue'
import { call, Problem, type Schemas } from '@shared/client'
import { token } from '@shared/session'
import { spread } from './polling'

export type Order = Schemas['Order']

const wait_ms = 20_000
const back_off_ms = [500, 1000, 2000, 4000, 8000, 15_000]

const known = reactive(new Map<string, Order>())
const live = ref(false)
const followed = new Map<string, number>()
const polling = new Set<string>()
let socket: WebSocket | null = null
let connecting = false
let failures = 0
let since = 0
let timer: ReturnType<typeof setTimeout> | undefined
let heartbeat: ReturnType<typeof setInterval> | undefined

export const orders = readonly(known)
export const feedIsLive = readonly(live)

/** Takes in what an answer or a message says of an order. */
export function learn(order: Order): void {
  const before = known.get(order.order_no)
  // A promise is always the oldest news there can be.
  if (before && order.status === 'queued' && before.status !== 'queued') return
  known.set(order.order_no, order)
}

interface Message {
  type: string
  order?: Order
  orders?: Order[]
  event?: number
  last_event?: number
  heartbeat_ms?: number
}

function take(text: string): void {
  const message = JSON.parse(text) as Message
  if (message.type === 'hello') {
    live.value = true
    failures = 0
    since = Math.max(since, message.last_event ?? 0)
    for (const order of message.orders ?? []) learn(order)
    for (const no of followed.keys()) void look(no) // older than the latest twenty
  } else if (message.type === 'order' && message.order) {
    since = Math.max(since, message.event ?? 0)
    learn(message.order)
  }
}

async function connect(): Promise<void> {
  if (connecting || socket || followed.size === 0 || !token.value) return
  connecting = true
  try {
    const { ticket } = await call('post', '/api/v1/ws/ticket', { timeout_ms: 8000 })
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const address = `${scheme}://${location.host}/api/v1/ws?ticket=${ticket}&since=${since}`
    open(new WebSocket(address))
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'unauthenticated')) later()
  } finally {
    connecting = false
  }
}

function open(made: WebSocket): void {
  socket = made
  made.onmessage = (event) => take(String(event.data))
  made.onopen = () => {
    heartbeat = setInterval(() => made.send('{"type":"ping"}'), 25_000)
  }
  made.onclose = (event) => {
    clearInterval(heartbeat)
    if (socket !== made) return
    socket = null
    live.value = false
    if (event.code === 4000) failures = back_off_ms.length // a newer one of ours took the place
    later()
    for (const no of followed.keys()) void pollOrder(no)
  }
}

function later(): void {
  clearTimeout(timer)
  const pause = back_off_ms[Math.min(failures++, back_off_ms.length - 1)] ?? 15_000
  timer = setTimeout(() => void connect(), spread(pause))
}

async function look(no: string): Promise<void> {
  try {
    learn(await call('get', '/api/v1/orders/{no}', { path: { no } }))
  } catch {
    // The poll or the next hello will say it.
  }
}

// Only while there is no socket. A refusal or an unreachable server is waited out.
async function pollOrder(no: string): Promise<void> {
  if (polling.has(no)) return
  polling.add(no)
  let failed = 0
  while (!live.value && followed.has(no) && token.value) {
    try {
      const status = known.get(no)?.status ?? 'queued'
      const query = { wait_ms: known.has(no) ? wait_ms : 0, while: status }
      learn(await call('get', '/api/v1/orders/{no}', { path: { no }, query, timeout_ms: wait_ms + 10_000 }))
      failed = 0
    } catch (error) {
      if (error instanceof Problem && (error.status === 401 || error.status === 404)) break
      const pause = back_off_ms[Math.min(failed++, back_off_ms.length - 1)] ?? 15_000
      await new Promise((done) => setTimeout(done, spread(pause)))
    }
  }
  polling.delete(no)
}

export function follow(no: string): () => void {
  followed.set(no, (followed.get(no) ?? 0) + 1)
  if (live.value) void look(no)
  else void pollOrder(no)
  void connect()
  return () => {
    const users = (followed.get(no) ?? 1) - 1
    if (users > 0) followed.set(no, users)
    else followed.delete(no)
  }
}

/** Follows the order as long as the component that calls this lives. */
export function useOrder(no: string): void {
  onScopeDispose(follow(no))
}

watch(token, () => {
  known.clear()
  since = 0
  failures = 0
  const old = socket
  socket = null
  live.value = false
  old?.close()
  void connect()
})
window.addEventListener('online', () => {
  failures = 0
  void connect()
})
