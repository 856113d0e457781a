// How numbers, money and time are shown.
import { language } from './words'

const locale = (): string => (language.value === 'zh' ? 'zh-CN' : 'en-GB')

export function count(n: number | null | undefined): string {
  return n === null || n === undefined ? '–' : n.toLocaleString(locale())
}

export function yuan(fen: number | null | undefined): string {
  if (fen === null || fen === undefined) return '–'
  return `¥${(fen / 100).toLocaleString(locale(), { minimumFractionDigits: 2 })}`
}

/** "12.50" -> 1250; null when it is no amount of money. */
export function parse_yuan(text: string): number | null {
  const match = /^(\d{1,8})(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!match) return null
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

export function price(fen: number | undefined, points: number | undefined): string {
  const parts: string[] = []
  if (fen) parts.push(yuan(fen))
  if (points) parts.push(`${count(points)} ${language.value === 'zh' ? '积分' : 'points'}`)
  return parts.join(' + ') || yuan(0)
}

export function when(iso: string | null | undefined, seconds = false): string {
  if (!iso) return '–'
  return new Intl.DateTimeFormat(locale(), {
    month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}), hour12: false,
  }).format(new Date(iso))
}

export function clock(ms: number): string {
  return new Intl.DateTimeFormat(locale(), {
    hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false,
  }).format(new Date(ms))
}

export function span(us: number): string {
  if (us <= 0) return '–'
  if (us < 1000) return `${us} µs`
  if (us < 1_000_000) return `${(us / 1000).toFixed(us < 10_000 ? 1 : 0)} ms`
  return `${(us / 1_000_000).toFixed(1)} s`
}

/** An ISO moment as a <input type="datetime-local"> wants it, and back. */
export function to_local(iso: string): string {
  const d = new Date(iso)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}T` +
    `${two(d.getHours())}:${two(d.getMinutes())}`
}
export function from_local(text: string): string | null {
  const d = new Date(text)
  return Number.isNaN(d.getTime()) ? null : d.toISOString()
}
