// Calls of the console, typed by the server's own description.
import type { components, paths } from '../generated/api'
import { session } from './session'
import { language } from './words'

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

type Json<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : undefined
type Good<Call> = Call extends { responses: infer Answers }
  ? Answers extends { 200: infer A } ? Json<A>
    : Answers extends { 201: infer A } ? Json<A>
      : Answers extends { 202: infer A } ? Json<A> : undefined
  : never
type With<Verb extends string> = {
  [Path in keyof paths]: paths[Path] extends Record<Verb, { responses: unknown }> ? Path : never
}[keyof paths]

export interface Details {
  path?: Record<string, string | number>
  query?: Record<string, string | number | undefined>
  body?: unknown
}

/** What the server says is wrong; `message` is for people, in their language. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly field: string | null = null,
    readonly retry_after_ms: number | null = null,
  ) {
    super(message)
  }
}

async function problem_of(answer: Response): Promise<Problem> {
  const said = (await answer.json().catch(() => ({}))) as Record<string, unknown>
  const text = (name: string): string | null =>
    typeof said[name] === 'string' ? (said[name] as string) : null
  const detail = text('detail')
  const title = text('title') ?? `HTTP ${answer.status}`
  const wait = said['retry_after_ms']
  return new Problem(
    answer.status,
    text('code') ?? 'unknown',
    detail ? `${title}: ${detail}` : title,
    text('field'),
    typeof wait === 'number' ? wait : null,
  )
}

export function address(path: string, d: Details): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(d.path?.[name] ?? '')),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(d.query ?? {}))
    if (value !== undefined && value !== '') query.set(name, String(value))
  const asked = query.toString()
  return asked ? `${filled}?${asked}` : filled
}

async function send(verb: string, path: string, d: Details): Promise<unknown> {
  const headers: Record<string, string> = { 'Accept-Language': language.value }
  if (session.token) headers['Authorization'] = `Bearer ${session.token}`
  let body: BodyInit | null = null
  if (d.body instanceof Blob) {
    headers['Content-Type'] = d.body.type || 'application/octet-stream'
    body = d.body
  } else if (verb !== 'GET') {
    headers['Content-Type'] = 'application/json'
    body = JSON.stringify(d.body ?? {})
  }
  const answer = await fetch(address(path, d), { method: verb, headers, body })
  if (answer.status === 401 && session.token && !path.includes('/auth/')) session.end()
  if (!answer.ok) throw await problem_of(answer)
  return answer.status === 204 ? undefined : answer.json()
}

export const get = <P extends With<'get'>>(path: P, d: Details = {}) =>
  send('GET', path, d) as Promise<Good<paths[P]['get']>>
export const post = <P extends With<'post'>>(path: P, d: Details = {}) =>
  send('POST', path, d) as Promise<Good<paths[P]['post']>>
export const put = <P extends With<'put'>>(path: P, d: Details = {}) =>
  send('PUT', path, d) as Promise<Good<paths[P]['put']>>
