// The API, typed by the description that the server serves (src/generated/api.ts).
//
//   const sale = await call('get', '/api/v1/sales/{id}', { path: { id: 7 } })
//
// An answer outside 2xx is thrown as a `Problem`; a request that got no answer as `Unreachable`.
import type { components, paths } from '../generated/api'
import { locale } from './i18n'
import { dropLogin, token } from './session'

export type Schemas = components['schemas']
export type ProblemBody = Schemas['Problem']
export type ProblemCode = ProblemBody['code']

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: ProblemBody,
  ) {
    super(body.title)
  }
  get code(): ProblemCode {
    return this.body.code
  }
}

/** No answer: offline, the server restarts, or the time is over. Whether it acted is not known. */
export class Unreachable extends Error {}

type Verb = 'get' | 'post' | 'put' | 'delete'
type PathsWith<V extends Verb> = {
  [P in keyof paths]: paths[P] extends Record<V, { responses: unknown }> ? P : never
}[keyof paths]
type Operation<V extends Verb, P extends keyof paths> = paths[P] extends Record<V, infer O> ? O : never
type Json<R> = R extends { content: { 'application/json': infer B } } ? B : undefined
type Good = 200 | 201 | 202 | 204
export type Answer<V extends Verb, P extends keyof paths> =
  Operation<V, P> extends { responses: infer R } ? Json<R[keyof R & Good]> : never
type Body<V extends Verb, P extends keyof paths> =
  Operation<V, P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never

export interface Options<B = unknown> {
  path?: Record<string, string | number>
  query?: Record<string, string | number | undefined>
  body?: B
  headers?: Record<string, string>
  signal?: AbortSignal
  timeout_ms?: number
}

export function addressOf(path: string, options: Options): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(options.path?.[name] ?? '')),
  )
  const query = Object.entries(options.query ?? {}).filter(([, value]) => value !== undefined)
  if (query.length === 0) return filled
  return `${filled}?${query.map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`).join('&')}`
}

function problemOf(status: number, text: string): Problem {
  try {
    const body = JSON.parse(text) as ProblemBody
    if (typeof body.code === 'string') return new Problem(status, body)
  } catch {
    // A proxy's own page.
  }
  const code = status === 429 ? 'too_many_requests' : status >= 500 ? 'busy' : 'bad_request'
  return new Problem(status, { type: 'about:blank', title: `HTTP ${status}`, status, code })
}

/** The plain request: status and text. Throws Unreachable only. */
export async function send(
  verb: string,
  address: string,
  options: Options = {},
): Promise<{ status: number; text: string; etag: string | null }> {
  const headers: Record<string, string> = { 'Accept-Language': locale.value, ...options.headers }
  if (token.value) headers['Authorization'] = `Bearer ${token.value}`
  const request: RequestInit = { method: verb.toUpperCase(), headers, credentials: 'omit', cache: 'no-store' }
  if (options.body instanceof Blob) {
    request.body = options.body
  } else if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    request.body = JSON.stringify(options.body)
  }
  const stop = new AbortController()
  request.signal = stop.signal
  const late = setTimeout(() => stop.abort(), options.timeout_ms ?? 20_000)
  const abort = (): void => stop.abort()
  options.signal?.addEventListener('abort', abort)
  try {
    const answer = await fetch(address, request)
    return { status: answer.status, text: await answer.text(), etag: answer.headers.get('ETag') }
  } catch (error) {
    throw new Unreachable(String(error))
  } finally {
    clearTimeout(late)
    options.signal?.removeEventListener('abort', abort)
  }
}

export async function call<V extends Verb, P extends PathsWith<V>>(
  verb: V,
  path: P,
  options: Options<Body<V, P>> = {},
): Promise<Answer<V, P>> {
  const used = token.value
  const { status, text } = await send(verb, addressOf(path, options), options)
  if (status >= 200 && status < 300) {
    return (text ? JSON.parse(text) : undefined) as Answer<V, P>
  }
  const problem = problemOf(status, text)
  // Only a token that is still the present one: another tab may have logged in meanwhile.
  if (problem.code === 'unauthenticated' && used && used === token.value) dropLogin()
  throw problem
}
