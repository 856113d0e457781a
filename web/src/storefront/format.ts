import { language, locale } from '@shared/i18n'
import { t } from './texts'

/** 199900 -> ¥1,999; 199950 -> ¥1,999.50 */
export function money(fen: number): string {
  const sign = fen < 0 ? '-' : ''
  const yuan = Math.floor(Math.abs(fen) / 100)
  const rest = Math.abs(fen) % 100
  const whole = String(yuan).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${sign}¥${whole}${rest ? `.${String(rest).padStart(2, '0')}` : ''}`
}

/** "12.5" -> 1250; null: not an amount with at most two decimals. */
export function readMoney(text: string): number | null {
  const found = /^\s*[¥￥]?\s*(\d{1,9})(?:\.(\d{1,2}))?\s*$/.exec(text)
  if (!found?.[1]) return null
  return Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'))
}

export interface Left {
  days: number
  hours: string
  minutes: string
  seconds: string
}

/** Rounded up, so that 0:00 is shown only when the time has come. */
export function left(ms: number): Left {
  const all = Math.max(0, Math.ceil(ms / 1000))
  const two = (n: number): string => String(n).padStart(2, '0')
  return {
    days: Math.floor(all / 86_400),
    hours: two(Math.floor(all / 3600) % 24),
    minutes: two(Math.floor(all / 60) % 60),
    seconds: two(all % 60),
  }
}

export function shortLeft(ms: number): string {
  const l = left(ms)
  const clock = l.hours === '00' ? `${l.minutes}:${l.seconds}` : `${l.hours}:${l.minutes}:${l.seconds}`
  return l.days > 0 ? `${t('day', { n: l.days })} ${l.hours}:${l.minutes}:${l.seconds}` : clock
}

const as = (options: Intl.DateTimeFormatOptions) => (iso: string | number): string =>
  new Intl.DateTimeFormat(locale.value, options).format(new Date(iso))
export const clockTime = as({ hour: '2-digit', minute: '2-digit', hour12: false })
export const dayAndTime = as({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false })
export const exactTime = as({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })

/** 900 -> 15 minutes */
export function duration(seconds: number): string {
  const zh = language.value === 'zh'
  const say = (n: number, zhUnit: string, enUnit: string): string =>
    zh ? `${n} ${zhUnit}` : `${n} ${enUnit}${n === 1 ? '' : 's'}`
  if (seconds % 86_400 === 0 && seconds > 0) return say(seconds / 86_400, '天', 'day')
  if (seconds % 3600 === 0 && seconds > 0) return say(seconds / 3600, '小时', 'hour')
  if (seconds >= 60) return say(Math.round(seconds / 60), '分钟', 'minute')
  return say(seconds, '秒', 'second')
}
