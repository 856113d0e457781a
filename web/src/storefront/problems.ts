// What went wrong, for people. The server's own words are in the language of the page.
import { Problem } from '@shared/client'
import { messages } from '@shared/i18n'
import { duration } from './format'

const m = messages({
  zh: { unreachable: '没有收到答复，请检查网络后再试。', wait: '操作太频繁，请等 {time} 再试。', busy: '人很多，请稍后再试。' },
  en: { unreachable: 'There was no answer. Please check the network and try again.', wait: 'Too many tries. Please wait {time}.', busy: 'It is crowded. Please try again in a moment.' },
})

export function explain(error: unknown): string {
  if (!(error instanceof Problem)) return m('unreachable')
  if (error.code === 'too_many_requests')
    return m('wait', { time: duration(Math.ceil((error.body.retry_after_ms ?? 1000) / 1000)) })
  if (error.code === 'busy') return m('busy')
  return error.body.title
}
