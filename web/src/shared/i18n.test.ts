import { expect, test } from 'vitest'
import { chooseLanguage, fill, messages } from './i18n'

test('a text is filled in, and an unknown placeholder stays visible', () => {
  expect(fill('{n} of {m}, {x}', { n: 1, m: 2 })).toBe('1 of 2, {x}')
})
test('the language can be changed while the page is open', () => {
  const t = messages({ zh: { buy: '立即抢购' }, en: { buy: 'Buy now' } })
  chooseLanguage('en')
  expect(t('buy')).toBe('Buy now')
  chooseLanguage('zh')
  expect(t('buy')).toBe('立即抢购')
})
